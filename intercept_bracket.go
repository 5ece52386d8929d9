package gcg

import "math"

// bracketEach finishes a fit that Newton's method left unbalanced, as it does where second derivatives vanish: a Huber loss is
// flat far from its targets, and steps there are either too short or too long. ∂L/∂b_c rises in b_c, so that its root is
// bracketed and then narrowed, in all places at once: one pass over the observations for each evaluation. That is exact for
// losses that couple no places; for others the loss decides whether to keep it.
func (f *interceptFit) bracketEach(value float64) {
	b := f.s.Intercept
	old := append([]float64(nil), b...)
	grad, size := f.gradient()
	roots, count := make([]root, len(b)), f.places.Sums(ones(len(f.base)))
	for c := range roots {
		roots[c] = root{at: b[c], best: b[c], least: math.Inf(1), lo: math.Inf(-1), hi: math.Inf(1), step: f.shortest(grad[c], b[c], count[c])}
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

// shortest is the step that the gradient of a number of observations takes by the bound of the curvature, which never passes the root; where no bound is
// known, a small one.
func (f *interceptFit) shortest(grad, b, count float64) float64 {
	if curved, ok := f.p.Loss.(CurvedLoss); ok {
		return math.Abs(grad) / (CurvatureAt(curved, f.s.Z) * max(1, count))
	}
	return math.Max(1e-3*math.Abs(b), 1e-6)
}

// A root is the search for the place where a falling slope is 0.
type root struct {
	at, best, least  float64 // the point that is evaluated; the one with the smallest slope, and that
	lo, hi, glo, ghi float64 // slopes: glo ≥ 0 ≥ ghi
	step             float64 // while one end is unknown
	turns            int
}

// next takes the slope at r.at and moves it; it reports false at the root, or when nothing lies between the ends.
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

// between takes the secant and the middle in turn: the one is exact once the slope is straight, the other always halves.
func (r *root) between() {
	r.turns++
	r.at = r.lo + (r.hi-r.lo)/2
	if r.turns%2 == 1 {
		if t := r.lo + (r.hi-r.lo)*(r.glo/(r.glo-r.ghi)); t > r.lo && t < r.hi {
			r.at = t
		}
	}
}

// dualOffset is ⟨Eᵀ∇L, b⟩ at the state's intercept, which a lower bound takes account of; it is rounding once b is fitted. It
// reports false where Eᵀ∇L is more than that: a certificate does not hold there.
func (s *State) dualOffset(p *Problem) (offset float64, ok bool) {
	if s.Intercept == nil {
		return 0, true
	}
	f := &interceptFit{p: p, s: s, places: p.Places()}
	grad, size := f.gradient()
	var level float64 // of a slope's rounding
	if curved, is := p.Loss.(CurvedLoss); is {
		level = 1e-15 * CurvatureAt(curved, s.Z)
	}
	reach := f.places.sizes(s.Z)
	for c, g := range grad {
		if !(math.Abs(g) <= 1e-9*size[c]+level*reach[c]) {
			return 0, false
		}
		offset -= g * s.Intercept[c]
	}
	return offset, true
}
