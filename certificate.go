package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Certificate says how far an iterate is from the optimum: optimum ∈ [LowerBound, Objective].
type Certificate struct {
	Objective  float64
	LowerBound float64 // the best seen, -Inf before the first
	Gap        float64 // Objective - LowerBound
	Relative   float64 // Gap / |Objective|, where the objective is not 0 but for rounding
	Kind       Kind    // what the bound of the polar behind LowerBound is worth
	Failure    float64 // probability that a Probable bound does not hold
}

// Certify updates s.Cert from the polar at the current iterate. With p = ∇L(z) = -R and κ° the upper bound of the polar,
// weak duality gives for every s ≥ 0
//
//	F* ≥ D(s) = -L*(s p) - h*(s κ°)
//
// and the best s is taken. A loss without a conjugate is linearised instead, with ρmax ≥ κ(W*):
//
//	F* ≥ L(z) - ⟨p, z⟩ - sup over 0 ≤ x ≤ ρmax of xκ° - h(x)
//
// An intercept b that is fitted has Eᵀp = 0; what rounding leaves of it adds ⟨Eᵀp, b⟩, and nothing is certified where it is
// more. The lower bound never falls: the best seen is kept.
func (s *State) Certify(p *Problem) {
	c := &s.Cert
	c.Objective = s.Objective(p)
	if s.Polar != nil {
		if d := s.lowerBound(p, s.Polar.Bound); d > c.LowerBound || !math.IsNaN(d) && s.Iter == 0 && math.IsInf(c.LowerBound, -1) {
			c.LowerBound, c.Kind, c.Failure = d, s.Polar.Kind, s.Polar.Failure
		}
	}
	c.Gap = math.Max(c.Objective-c.LowerBound, 0)
	c.Relative = RelativeGap(c.Gap, math.Max(math.Abs(c.Objective), interpolated*s.Scale))
}

// interpolated is the fraction of the loss at W = 0 below which an objective counts as 0: a gap relative to it would be
// one between rounding errors.
const interpolated = 1e-12

// RelativeGap is gap/|objective|, 0 where there is no gap, and finite however small the objective is.
func RelativeGap(gap, objective float64) float64 {
	if gap == 0 {
		return 0
	}
	return math.Min(gap/math.Max(math.Abs(objective), math.SmallestNonzeroFloat64), math.MaxFloat64)
}

func (s *State) lowerBound(p *Problem, polar float64) float64 {
	if math.IsInf(polar, 1) || math.IsNaN(polar) {
		return math.Inf(-1)
	}
	offset, ok := s.dualOffset(p)
	if !ok {
		return math.Inf(-1)
	}
	conj := p.conjugateAlong(s)
	if conj == nil {
		return s.linearised(p, polar) + offset
	}
	dual := func(t float64) float64 {
		h, _ := p.Penalty.Conj(t*polar, math.Inf(1))
		if math.IsInf(h, 1) {
			return math.Inf(-1)
		}
		return -conj(t) - h + t*offset
	}
	return maximise(dual, p.dualLimit(polar))
}

// dualLimit is the largest t with a finite h*(tκ°): λ/κ° for h = λx.
func (p *Problem) dualLimit(polar float64) float64 {
	if slope := p.Penalty.Deriv(math.Inf(1)); polar > 0 && !math.IsInf(slope, 1) {
		return slope / polar
	}
	return math.Inf(1)
}

// conjugateAlong is t ↦ L*(t∇L(z)). For a quadratic loss two sums make it a closed form.
func (p *Problem) conjugateAlong(s *State) func(t float64) float64 {
	if q := p.asSquares(); q != nil {
		rr, ry := q.Sums()
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	if q, ok := p.Loss.(LeastSquares); ok {
		ry := p.dot(s.R, q.Target())
		rr := p.weightedSquares(s.R, q)
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	if c, ok := p.Loss.(ScaledConjugateLoss); ok {
		part := make([]func(t float64) float64, p.Blocks())
		par.For(len(part), func(b int) {
			lo, hi := p.Block(b)
			part[b] = c.ConjugateAlong(lo, s.R[lo:hi])
		})
		return func(t float64) float64 {
			return par.Sum(len(part), func(b int) float64 { return part[b](t) })
		}
	}
	c, ok := p.Loss.(ConjugateLoss)
	if !ok {
		return nil
	}
	return func(t float64) float64 {
		return par.Sum(p.Blocks(), func(b int) float64 {
			lo, hi := p.Block(b)
			return c.Conjugate(lo, s.R[lo:hi], t)
		})
	}
}

// weightedSquares is Σ rᵢ²/(ωᵢ·scale), over ωᵢ > 0.
func (p *Problem) weightedSquares(r []float64, q LeastSquares) float64 {
	w := q.Weights()
	if w == nil {
		return p.dot(r, r) / q.Scale()
	}
	return par.Sum(p.Blocks(), func(b int) float64 {
		lo, hi := p.Block(b)
		var s float64
		for i := lo; i < hi; i++ {
			if w[i] > 0 {
				s += r[i] * r[i] / w[i]
			}
		}
		return s
	}) / q.Scale()
}

// maximise a concave f over [0, limit], with f(0) finite: golden sections around the best of a few points. Any point is a
// valid bound, so accuracy only sharpens it; the end of the interval is tried exactly.
func maximise(f func(float64) float64, limit float64) float64 {
	best, at := f(0), 0.0
	try := func(t float64) float64 {
		v := f(t)
		if v > best {
			best, at = v, t
		}
		return v
	}
	hi := math.Min(limit, 1)
	try(hi)
	for at == hi && hi < limit && hi < 1e12 {
		hi = math.Min(2*hi, limit)
		try(hi)
	}
	if at == limit {
		try(limit * (1 - 1e-9)) // is it still rising there?
		if at == limit {
			return best
		}
	}
	lo := 0.0
	const golden = 0.3819660112501051
	for range 60 {
		a, b := lo+golden*(hi-lo), hi-golden*(hi-lo)
		if b <= a {
			break
		}
		if try(a) >= try(b) {
			hi = b
		} else {
			lo = a
		}
		if hi-lo < 1e-9*hi {
			break
		}
	}
	return best
}

func (s *State) linearised(p *Problem, polar float64) float64 {
	limit := p.gaugeLimit(s)
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	sup, _ := p.Penalty.Conj(polar, limit)
	return s.Loss + p.dot(s.R, s.Z) - sup
}

// gaugeLimit bounds κ(W*): by the domain of h, or by h⁻¹(F(W) - inf L).
func (p *Problem) gaugeLimit(s *State) float64 {
	if zeta := p.Penalty.Max(); !math.IsInf(zeta, 1) {
		return zeta
	}
	b, ok := p.Loss.(BoundedLoss)
	if !ok {
		return math.Inf(1)
	}
	f := s.Objective(p) - b.Infimum()
	lo, hi := 0.0, math.Max(s.Rho, 1e-300)
	for p.Penalty.Value(hi) < f && hi < 1e300 {
		hi *= 2
	}
	for range 200 {
		mid := (lo + hi) / 2
		if p.Penalty.Value(mid) < f {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
