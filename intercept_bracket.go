package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// bracketEach finishes a fit that Newton's method left unbalanced, as it does where second derivatives vanish. A Huber loss has
// no curvature far from its targets, so that Newton steps there are too short or too long. ∂L/∂b_c rises in b_c, so that its root
// can be bracketed and the bracket narrowed. All constants take one pass over the observations for each evaluation. This is exact
// for losses that do not couple the constants. For others the result is kept only if the loss, which was value, is not higher.
func (f *interceptFit) bracketEach(value float64) {
	b := f.s.Intercept
	old := append([]float64(nil), b...)
	grad, size := f.gradient()
	roots, count := make([]root, len(b)), f.intercepts.counts(len(f.base))
	for c := range roots {
		roots[c] = root{at: b[c], best: b[c], least: math.Inf(1), lo: math.Inf(-1), hi: math.Inf(1),
			step: f.shortest(grad[c], b[c], count[c])}
	}
	for range 300 {
		moving := false
		for c := range roots {
			if roots[c].next(grad[c], size[c]) {
				moving = true
			}
			b[c] = roots[c].at
		}
		if !moving {
			break
		}
		f.evaluate(b)
		grad, size = f.gradient()
	}
	for c := range roots {
		b[c] = roots[c].best
	}
	if f.s.Loss = f.evaluate(b); !(f.s.Loss <= value+1e-14*math.Abs(value)) {
		copy(b, old)
		f.s.Loss = f.evaluate(b)
	}
}

// shortest is the size of a gradient step with the bound of the curvature, for a gradient that is a sum over count
// observations; it never passes the root. Where there is no bound it is a small step from b.
func (f *interceptFit) shortest(grad, b, count float64) float64 {
	if curved, ok := f.p.Loss.(CurvedLoss); ok {
		return math.Abs(grad) / (CurvatureAt(curved, f.s.Z) * max(1, count))
	}
	return math.Max(1e-3*math.Abs(b), 1e-6)
}

// A root is the search for the point where a falling slope is 0.
type root struct {
	at, best, least float64 // the point that is evaluated; the point with the smallest slope so far, and the size of that slope
	lo, hi          float64 // the bracket, infinite where an end is unknown
	glo, ghi        float64 // the slopes at its ends: glo ≥ 0 ≥ ghi
	step            float64 // the next step while one end is unknown
	turns           int     // how often between was called
}

// next takes the slope at r.at, whose terms have the sum of sizes size, and moves r.at. It reports false at the root, and
// when no number lies between the ends.
func (r *root) next(slope, size float64) bool {
	if a := math.Abs(slope); a < r.least {
		r.best, r.least = r.at, a
	}
	if r.least <= 1e-15*size {
		r.at = r.best
		return false
	}
	if slope > 0 {
		r.lo, r.glo = r.at, slope
	} else {
		r.hi, r.ghi = r.at, slope
	}
	switch {
	case math.IsInf(r.hi, 1):
		r.at += r.step
		r.step *= 2
	case math.IsInf(r.lo, -1):
		r.at -= r.step
		r.step *= 2
	default:
		r.between()
	}
	return r.at != r.lo && r.at != r.hi && !math.IsInf(r.at, 0)
}

// between moves r.at to the secant's root and to the middle in turn: the first is exact once the slope is straight, the
// second always halves the bracket.
func (r *root) between() {
	r.turns++
	r.at = r.lo + (r.hi-r.lo)/2
	if r.turns%2 == 1 {
		if t := r.lo + (r.hi-r.lo)*(r.glo/(r.glo-r.ghi)); t > r.lo && t < r.hi {
			r.at = t
		}
	}
}

// dualOffset is what an intercept adds to the lower bound of the dual point p = -R: ⟨Eᵀp, b⟩ at the optimal b, which is 0 but for
// rounding. The result is a lower bound of it where each constant is within the mean size of its predictions A(W) of the optimal
// one: as W moves, constants make up for these. It reports false where Eᵀp is more than rounding, and no certificate holds.
func (s *State) dualOffset(p *Problem) (offset float64, ok bool) {
	if s.Intercept == nil {
		return 0, true
	}
	f := &interceptFit{p: p, s: s, intercepts: p.InterceptMap()}
	grad, size := f.gradient()
	var level float64 // of the rounding of a slope, for each unit of prediction
	if curved, is := p.Loss.(CurvedLoss); is {
		level = 1e-15 * CurvatureAt(curved, s.Z)
	}
	reach, count := f.intercepts.sizes(s.Z), f.intercepts.counts(len(s.Z))
	w := memory.Borrow[float64](len(s.Z)) // A(W)
	defer memory.Repay(w)
	copy(w, s.Z)
	f.intercepts.AddTo(w, -1, s.Intercept)
	sizes := f.intercepts.sizes(w)
	for c, g := range grad {
		if !(math.Abs(g) <= 1e-9*size[c]+level*reach[c]) {
			return 0, false
		}
		offset -= g*s.Intercept[c] + math.Abs(g)*sizes[c]/math.Max(count[c], 1)
	}
	return offset, true
}
