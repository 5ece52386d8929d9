package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
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
const interpolated = rounding.Null

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
	limit := p.GaugeLimit(s)
	if math.IsInf(limit, 1) {
		return math.Inf(-1)
	}
	sup, _ := p.Penalty.Conj(polar, limit)
	return s.Loss + p.dot(s.R, s.Z) - sup
}

// GaugeLimit is an upper bound of κ(W*) of the problem, whose loss is Original of the loss where that smooths another: sup dom h,
// or h⁻¹(F(W) - inf L) for the W of a state, which no better point exceeds. inf L is Infimum of a BoundedLoss, or -L*(0). It is
// +Inf where neither is known.
func (p *Problem) GaugeLimit(s *State) float64 {
	if zeta := p.Penalty.Max(); !math.IsInf(zeta, 1) {
		return zeta
	}
	least := p.infimum(s)
	f := p.Objective(s) - least
	if math.IsInf(least, -1) || math.IsNaN(f) {
		return math.Inf(1)
	}
	lo, hi := 0.0, math.Max(s.Rho, math.SmallestNonzeroFloat64)
	for p.Penalty.Value(hi) < f {
		if lo, hi = hi, 2*hi; math.IsInf(hi, 1) {
			return hi
		}
	}
	_, hi = roots.Bisect(lo, hi, 0, func(rho float64) bool { return p.Penalty.Value(rho) < f })
	return hi
}

// infimum is inf L of the loss that certificates are of; -Inf where it is not known.
func (p *Problem) infimum(s *State) float64 {
	l := Original(p.Loss)
	if b, ok := l.(BoundedLoss); ok {
		return b.Infimum()
	}
	if c, ok := l.(ConjugateLoss); ok && s.R != nil {
		return -p.Sum(func(lo, hi int) float64 { return c.Conjugate(lo, s.R[lo:hi], 0) })
	}
	return math.Inf(-1)
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

// conjugateAlong is t ↦ L*(-tR), or nil for a loss without a conjugate, where L is what the problem's loss smooths, see Original.
// For a squared loss it is a closed form of two sums.
func (p *Problem) conjugateAlong(s *State) func(t float64) float64 {
	if q := p.asSquares(); q != nil {
		rr, ry := q.Sums()
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	loss := Original(p.Loss)
	if q, ok := loss.(LeastSquares); ok {
		ry := p.dot(s.R, q.Target())
		rr := p.weightedSquares(s.R, q)
		return func(t float64) float64 { return t*t*rr/2 - t*ry }
	}
	if c, ok := loss.(interface {
		ConjugateAlong(lo int, r []float64) func(s float64) float64
	}); ok {
		part := make([]func(t float64) float64, p.Blocks())
		par.For(len(part), func(b int) {
			lo, hi := p.Block(b)
			part[b] = c.ConjugateAlong(lo, s.R[lo:hi])
		})
		at := p.blockAt()
		return func(t float64) float64 {
			return p.Sum(func(lo, _ int) float64 { return part[at[lo]](t) })
		}
	}
	c, ok := loss.(ConjugateLoss)
	if !ok {
		return nil
	}
	return func(t float64) float64 {
		return p.Sum(func(lo, hi int) float64 {
			return c.Conjugate(lo, s.R[lo:hi], t)
		})
	}
}

// A Shift is a dual point Y = G - U Vᵀ of a problem all of whose cells are observed: there every matrix is one. With X = P S Qᵀ
// and Y equal to λPQᵀ within the spaces of X and to G outside, but for singular values above λ,
//
//	F(X) - D(Y) = ½‖G - Y‖²
//
// in the metric of the conjugate. That is of second order in what X lacks, where the gap of a multiple of G is of first order.
type Shift struct {
	bound float64 // of F*
}

// FreeDual reports whether every matrix is a dual point of the problem, so that it has shifts.
func (p *Problem) FreeDual() bool {
	return p.ShiftPrice() > 0 && IsTraceNorm(p.Gauge)
}

// Shifted is the dual point Y = G - U Vᵀ of a problem that is FreeDual, at the last point that it was moved to, with σ₁(Y) ≤
// norm. Its operator, a Squares, gives Sums for the residual whose image under A* is c·A*(r) - U Vᵀ.
func (p *Problem) Shifted(u, v *Factor, norm float64) *Shift {
	rr, ry := p.Operator.(interface {
		ShiftedSums(u, v *Factor) (rr, ry float64)
	}).ShiftedSums(u, v)
	return &Shift{p.dualBound(func(t float64) float64 { return t*t*rr/2 - t*ry }, norm, 0)}
}

// ShiftPrice is at most about the gap that a unit of ‖U Vᵀ‖² leaves, which the operator knows, and 0 where there are no shifts.
func (p *Problem) ShiftPrice() float64 {
	if f, ok := p.Operator.(interface{ ShiftPrice() float64 }); ok {
		return f.ShiftPrice()
	}
	return 0
}

// Bound is the lower bound of F*.
func (h *Shift) Bound() float64 { return h.bound }

// weightedSquares is Σ rᵢ²/(ωᵢ·scale), over ωᵢ > 0.
func (p *Problem) weightedSquares(r []float64, q LeastSquares) float64 {
	w := q.Weights()
	if w == nil {
		return p.dot(r, r) / q.Scale()
	}
	return p.Sum(func(lo, hi int) float64 {
		var s float64
		for i := lo; i < hi; i++ {
			if w[i] > 0 {
				s += r[i] * r[i] / w[i]
			}
		}
		return s
	}) / q.Scale()
}

// maximise is about the maximum of a concave f on [0, limit], with f(0) finite. It doubles t while f rises, and then takes
// golden sections of [0, t]. As any t gives a valid bound, accuracy only sharpens it; the end of the interval, where the best
// t often is, is tried exactly.
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
