package sliding

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A cone is what F(Σ cᵢ pᵢ) is made of for points pᵢ of gauges ρᵢ and cᵢ ≥ 0, in the second-order model of ℓ at the state:
//
//	½cᵀHc - bᵀc + h(ρᵀc) + constant
//
// For squares that is F itself.
type cone struct {
	points []position
	h      [][]float64
	b      []float64
}

// newCone takes a product of the second derivatives with the predictions of every point.
func newCone(p *view.Problem, s *gcg.State, at []float64, points []position) *cone {
	k := &cone{points: points, b: make([]float64, len(points))}
	for i, x := range points {
		hx, row := make([]float64, len(at)), make([]float64, len(points))
		p.Sum(func(lo, hi int) float64 { // blocks may be worked on at the same time
			gcg.HessTo(p.Curved, hx[lo:hi], lo, s.Z[lo:hi], s.R[lo:hi], x.a[lo:hi])
			return 0
		})
		for j, y := range points {
			row[j] = kernel.Dot(hx, y.a)
		}
		k.h = append(k.h, row)
		k.b[i] = kernel.Dot(hx, at) + kernel.Dot(s.R, x.a)
	}
	return k
}

// weights minimise over c ≥ 0, from c. For h other than λx the multiplier μ = h'(ρᵀc) in the place of λ is found as a root.
func (k *cone) weights(c []float64, h gcg.Penalty) {
	if view.IsLinear(h) {
		k.linear(c, h.Deriv(1))
		return
	}
	gauge := func() (rho float64) {
		for i, x := range k.points {
			rho += c[i] * x.rho
		}
		return rho
	}
	excess := func(mu float64) float64 {
		k.linear(c, mu)
		return roots.ExcessOf(h, gauge(), mu)
	}
	unit := 0.0
	for i, x := range k.points {
		unit = math.Max(unit, math.Abs(k.b[i])/math.Max(x.rho, leastGauge))
	}
	if !(unit > 0) || math.IsInf(unit, 1) {
		return
	}
	signed := view.HoldsGauge(h)
	first := roots.TrialMultiplier{Excess: excess(0)}
	lo, hi, inside := roots.BracketRoot(excess, first, unit, signed, func(by float64) float64 {
		if signed {
			return -by * unit
		}
		return 0
	})
	if inside {
		return
	}
	roots.Root(excess, lo, hi, 0)
	if zeta, rho := h.Max(), gauge(); !math.IsInf(zeta, 1) && rho > 0 && (rho > zeta || signed) { // met but for rounding
		kernel.Scale(zeta/rho, c)
	}
}

// leastGauge stands for a ρ of 0 where it divides: at any number that is not below rounding of others the unit is the same.
const leastGauge = 1e-300

const (
	// sweeps of coordinate descent on the weights of a few points, at most; sweepEnd ends them before.
	sweeps = 500
	// sweepEnd is the part of what all sweeps gained below which one ends them; F is not known to more than 1e-14 of it.
	sweepEnd = rounding.Null
)

// linear minimises for h = λx, one weight after the other.
func (k *cone) linear(c []float64, lambda float64) {
	slope := make([]float64, len(c)) // b - Hc
	copy(slope, k.b)
	for i, row := range k.h {
		slope[i] -= kernel.Dot(row, c)
	}
	var all float64
	for range sweeps {
		var gain float64
		for i, row := range k.h {
			if !(row[i] > 0) {
				continue
			}
			next := math.Max(0, c[i]+(slope[i]-lambda*k.points[i].rho)/row[i])
			move := next - c[i]
			c[i] = next
			kernel.Axpy(-move, row, slope)
			gain += move * move * row[i] / 2
		}
		if all += gain; !(gain > sweepEnd*all) {
			return
		}
	}
}

// recent is how many atoms of inner loops are remembered. Without those of earlier steps m = 3, 5 and 7 took 29, 44 and 34
// gradients on SRBCT, and m = 2 more than 52; with them 17 to 27. Other numbers were not tried.
const recent = 30

// candidates are y, x⁺ and the last atoms of inner loops.
func (x *Method) candidates(p *gcg.Problem, y view.Snapshot, ay []float64, next position) []position {
	for i := range x.atoms {
		a := make([]float64, len(ay))
		p.ApplyAtoms(a, x.atoms[i:i+1], []float64{1})
		w := gcg.Join(y.W.M, y.W.N, []gcg.Term{{Atom: x.atoms[i], Weight: 1}})
		x.known = append(x.known, position{w, 1, a})
	}
	x.atoms = nil
	x.known = slices.Clone(x.known[max(0, len(x.known)-recent):])
	return append([]position{{y.W, y.Rho, ay}, next}, x.known...)
}

// improve moves the state from (1-γ)y + γx⁺, where F is f, to the best point of the cone of the candidates where F is lower
// there, and returns F. Any y⁺ where F is lower keeps the rate of the method, and this one takes no gradient. Without second
// derivatives the state stays.
func (x *Method) improve(p *gcg.Problem, s *gcg.State, y view.Snapshot, ay []float64, next position, gamma, f float64) float64 {
	v := view.Of(p)
	if v.Curved == nil {
		return f
	}
	points := x.candidates(p, y, ay, next)
	c := make([]float64, len(points))
	c[0], c[1] = 1-gamma, gamma
	at := x.ay
	newCone(v, s, at, points).weights(c, p.Penalty)
	for _, w := range c {
		if w-w != 0 {
			return f
		}
	}
	x.moveTo(p, s, points, c)
	if better := s.Objective(p); better < f {
		return better
	}
	x.moveTo(p, s, points[:2], []float64{1 - gamma, gamma})
	return f
}

// moveTo moves the state to Σ cᵢ pᵢ. Loss and R there are for the objective and the certificate: no gradient of the method's.
func (x *Method) moveTo(p *gcg.Problem, s *gcg.State, points []position, c []float64) {
	w, a := &gcg.Iterate{M: s.W.M, N: s.W.N}, make([]float64, len(x.ay))
	var rho float64
	for i, part := range points {
		if c[i] == 0 {
			continue
		}
		other := part.w.Clone()
		other.Scale(c[i])
		join(w, other)
		rho += c[i] * part.rho
		kernel.Axpy(c[i], part.a, a)
	}
	s.W, x.ay = w, a
	s.Rho = math.Min(rho, x.space.tidy(p, s.W, rho))
	copy(s.Z, a)
	if s.Intercept != nil {
		copy(s.Intercept, x.z.Intercept)
		p.InterceptMap().AddTo(s.Z, 1, s.Intercept)
	}
	count := s.Count.Gradients
	s.Recentre(p)
	s.Count.Gradients = count
}

// join adds the atoms of v to w. Columns that were merged, and are no atoms, stay merged.
func join(w, v *gcg.Iterate) {
	if v.Rank() > 0 {
		if w.Rank() == 0 {
			w.U, w.V, w.Merged, w.MergedWeight = v.U, v.V, v.Merged, v.MergedWeight
		} else {
			rho := w.Weights() + v.Weights()
			w.Add([]gcg.Atom{{U: v.U, V: v.V}}, []float64{1})
			w.Merge(rho)
		}
	}
	for _, t := range v.Terms {
		w.Add([]gcg.Atom{t.Atom}, []float64{t.Weight})
	}
}
