package gcg

import (
	"math"
)

// A Certificate says how far an iterate is from the optimum: optimum ∈ [LowerBound, Objective].
type Certificate struct {
	Objective  float64
	LowerBound float64 // the best so far, -Inf before the first
	Gap        float64 // Objective - LowerBound, at least 0
	Relative   float64 // Gap / |Objective|, or over 1e-12 of the loss at W = 0 where that is more
	Kind       Kind    // what the bound of the polar from which LowerBound comes is worth
	Failure    float64 // probability that LowerBound does not hold, unless it is Proven: at most the sum over all polars so far
}

// Bracket is the lower bound, which is not above the objective, and the relative gap: what can be written down. Both are nil
// before the first bound.
func (c Certificate) Bracket() (lower, relative *float64) {
	if math.IsInf(c.LowerBound, 0) || math.IsNaN(c.LowerBound) {
		return nil, nil
	}
	bound := math.Min(c.LowerBound, c.Objective) + 0 // but for rounding; and 0 is not -0
	return &bound, &c.Relative
}

// Certify updates s.Cert from the polar at the current iterate. The objective is the problem's Objective. The problem's Bound
// raises the lower bound, which never falls.
func (s *State) Certify(p *Problem) {
	c := &s.Cert
	c.Objective = p.Objective(s)
	if s.Polar != nil {
		if !s.Polar.counted { // the best bound is one of all so far: it holds where all of them do
			c.Failure, s.Polar.counted = math.Min(c.Failure+s.Polar.Failure, 1), true
		}
		if d := p.Bound(s, s.Polar); d > c.LowerBound || !math.IsNaN(d) && s.Iter == 0 && math.IsInf(c.LowerBound, -1) {
			c.LowerBound, c.Kind = d, s.Polar.Kind
		}
	}
	c.Gap = math.Max(c.Objective-c.LowerBound, 0)
	c.Relative = RelativeGap(c.Gap, math.Max(math.Abs(c.Objective), interpolated*s.LossAtZero))
}

// interpolated is the fraction of the loss at W = 0 below which an objective counts as 0. A gap relative to less would be a
// quotient of rounding errors.
const interpolated = 1e-12

// RelativeGap is gap/|objective|: 0 where there is no gap, and finite however small the objective is.
func RelativeGap(gap, objective float64) float64 {
	if gap == 0 {
		return 0
	}
	return math.Min(gap/math.Max(math.Abs(objective), math.SmallestNonzeroFloat64), math.MaxFloat64)
}

// Objective is F(W) = L(A W) + h(ρ) at the state. Where the loss smooths another, L is the other's value, which is more: what a
// method lowers is State.Objective.
func (p *Problem) Objective(s *State) float64 {
	if o, ok := smoothedBy(p.Loss); ok {
		return p.valueOf(o, s.Z) + p.Penalty.Value(s.Rho)
	}
	return s.Objective(p)
}

// valueOf is L(z) for a loss of the problem's observations.
func (p *Problem) valueOf(l Loss, z []float64) float64 {
	return p.Sum(func(lo, hi int) float64 {
		return l.Eval(lo, z[lo:hi], nil)
	})
}

// Bound is a lower bound of F* from any state of the problem, whose R is a dual point, and a polar of its gauge at A*(R); -Inf
// where there is none. Let p = -R, and κ° the polar's Bound. Weak duality gives for every s ≥ 0
//
//	F* ≥ D(s) = -L*(s p) - h*(s κ°)
//
// and the best s is taken. Where the loss smooths another, L* is the other's at the same dual point. For L(A W) + g(B W) and the
// envelope of g it is D(s) = -L*(s p) - g*(s u) - h*(s κ°).
//
// Where the polar has a Shift, that is a second dual point, and the better of both bounds is taken.
//
// A loss without a conjugate is linearised instead, with ρmax ≥ κ(W*):
//
//	F* ≥ L(z) - ⟨p, z⟩ - sup over 0 ≤ x ≤ ρmax of xκ° - h(x)
//
// A fitted intercept b has Eᵀp = 0 but for rounding, whose ⟨Eᵀp, b⟩ is added. Where Eᵀp is more than rounding, nothing is
// certified.
func (p *Problem) Bound(s *State, polar *Polar) float64 {
	kappa := polar.UpperBound()
	if math.IsInf(kappa, 1) || math.IsNaN(kappa) {
		return math.Inf(-1)
	}
	offset, ok := s.dualOffset(p)
	if !ok {
		return math.Inf(-1)
	}
	conj := p.conjugateAlong(s)
	if conj == nil {
		return s.linearised(p, kappa) + offset
	}
	d := p.dualBound(conj, kappa, offset)
	if polar.Spectral != nil && polar.Spectral.Shift != nil {
		d = math.Max(d, polar.Spectral.Shift.bound)
	}
	return d
}

// dualBound is the largest D(t) = -L*(t p) - h*(t κ°) + t·offset over t ≥ 0.
func (p *Problem) dualBound(conj func(t float64) float64, kappa, offset float64) float64 {
	dual := func(t float64) float64 {
		h, _ := p.Penalty.Conj(t*kappa, math.Inf(1))
		if math.IsInf(h, 1) {
			return math.Inf(-1)
		}
		return -conj(t) - h + t*offset
	}
	return maximise(dual, p.dualLimit(kappa))
}

// dualLimit is the largest t for which h*(tκ°) is finite: λ/κ° for h = λx.
func (p *Problem) dualLimit(polar float64) float64 {
	if slope := p.Penalty.Deriv(math.Inf(1)); polar > 0 && !math.IsInf(slope, 1) {
		return slope / polar
	}
	return math.Inf(1)
}

// linearised is the lower bound for a loss without a conjugate; -Inf where nothing bounds κ(W*). That of a loss which smooths
// another holds for the other, which is more.
func (s *State) linearised(p *Problem, polar float64) float64 {
	limit := p.gaugeLimit(s)
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	sup, _ := p.Penalty.Conj(polar, limit)
	return s.Loss + p.dot(s.R, s.Z) - sup
}

// gaugeLimit is an upper bound of κ(W*): sup dom h, or h⁻¹(F(W) - inf L); +Inf where neither is known.
func (p *Problem) gaugeLimit(s *State) float64 {
	if zeta := p.Penalty.Max(); !math.IsInf(zeta, 1) {
		return zeta
	}
	b, ok := p.Loss.(BoundedLoss)
	if !ok {
		return math.Inf(1)
	}
	f := p.Objective(s) - b.Infimum()
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

// Original is the loss that l smooths, or l itself.
//
// A loss may be solved in place of another, which it smooths: a penalty that is not smooth is solved by its envelope.
// Certificates are of the other loss L₀. The smooth loss gives it by a method Original() Loss, nil if it smooths none. L₀ is of
// the same observations. Its Eval is the exact value at z. At the r that the smooth loss wrote, -r is a dual point of L₀, and the
// Conjugate of L₀ gives its part of the bound, L₀*(-s r). L₀ may share data with the smooth loss, and has no derivative to rely
// on.
func Original(l Loss) Loss {
	if o, ok := smoothedBy(l); ok {
		return o
	}
	return l
}

// Smooths reports whether l stands for a loss that it smooths.
func Smooths(l Loss) bool {
	_, smooths := smoothedBy(l)
	return smooths
}

// smoothedBy is the loss that l smooths; it reports whether there is one.
func smoothedBy(l Loss) (Loss, bool) {
	if s, ok := l.(interface{ Original() Loss }); ok {
		if o := s.Original(); o != nil {
			return o, true
		}
	}
	return nil, false
}
