package solver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// polarOf asks the gauge for a polar of the present iterate. The first one of a run is checked more closely.
func (r *run) polarOf(ctx context.Context, ask gcg.Ask) (*gcg.Polar, error) {
	polar, err := polarAt(ctx, r.view, r.s, r.opt.kept.at(r.view, r.s), ask, !r.admitted)
	if err == nil {
		r.admitted, r.unbounded = true, polar.Kind == gcg.Unbounded
	}
	return polar, err
}

// polarAt asks for a polar of the gradient g at the state, and refuses one that is not finite where that is what is wrong.
func polarAt(ctx context.Context, p *view.Problem, s *gcg.State, g gcg.Map, ask gcg.Ask, first bool) (*gcg.Polar, error) {
	polar, err := s.Ask(ctx, p.Gauge, g, ask)
	var wrong *gcg.PolarError
	if errors.As(err, &wrong) || err == nil && polar.Kind == gcg.Unbounded {
		if nan := finite(s.R); nan != nil {
			return nil, nan
		}
	}
	if err == nil && first {
		err = (&admission{p: p, s: s, g: g, polar: polar, ask: ask}).check()
	}
	if err != nil {
		return nil, err
	}
	return polar, nil
}

// finite refuses a residual with an element that is not finite.
func finite(r []float64) error {
	for i, x := range r {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("solver: the derivative of the loss at observation %d is %v", i+1, -x)
		}
	}
	return nil
}

// ask is what the method wants of the next polar, and how sharp its bound must be.
func (r *run) ask() gcg.Ask {
	ask := r.method.Ask(r.p, r.s)
	ask.W = r.s.W
	ask.Spectral.Projections, r.did.Projections = r.did.Projections, nil
	ask.Seed = r.s.Seed + uint64(r.s.Iter)*0x9e3779b97f4a7c15 + 1
	if tol := r.polarTol(); ask.Tol == 0 || tol < ask.Tol {
		ask.Tol = tol
	}
	ask.Goal = r.polarGoal()
	ask.Spectral.Shift = r.shift()
	return ask
}

const (
	goalPart   = 0.95 // of the tolerance, that a polar's bound is to close the gap to: room for what polarGoal leaves out
	leastScale = 1e-3 // of the dual point: far from the solution no bound closes the gap, and the goal is as loose as it may be
)

// polarGoal is the bound of κ° that would close the gap to the tolerance, with a little room. With the dual point -t∇L(z) the
// gap is about
//
//	h(ρ) + h*(tκ°) - ⟨W, G⟩ + (1-t)⟨W, G⟩ + (1-t)²L(z),
//
// exact for a quadratic loss, and for any loss of minimum 0 at t = 0 and to first order at 1. A linear penalty λ asks for t =
// λ/κ°; for others t = 1, and h*(κ°) is taken as ρκ°.
func (r *run) polarGoal() float64 {
	s := r.s
	if s.Rho == 0 {
		return 0
	}
	want, wg := goalPart*r.opt.Tol*math.Abs(s.Objective(r.p)), r.p.InnerProduct(s) // ⟨W, G⟩
	lambda := r.p.Penalty.Deriv(math.Inf(1))
	excess := want + wg - lambda*s.Rho // of the gap wanted beyond that of t = 1
	if math.IsInf(lambda, 1) || excess <= 0 || wg <= 0 {
		return (want + wg) / s.Rho
	}
	less := 2 * excess / (wg + math.Sqrt(wg*wg+4*math.Max(s.Loss, 0)*excess)) // 1-t
	return lambda / math.Max(1-less, leastScale)
}

// What the tolerance of a polar trades: a sharper bound takes more products with the data, a looser one leaves more of the gap.
const (
	polarPart   = 0.1 // of the gap, that the polar may add to it
	fallOfStep  = 0.1 // of the gap, that a step with new atoms leaves of it at best
	widestPolar = 0.1 // relative error of the bound, at most
)

// polarTol is how sharp the bound of the next polar must be. A relative error δ of κ° costs about δ·ρh'(ρ) of the gap, so a
// tenth of the gap that the next certificate may have is left to it.
func (r *run) polarTol() float64 {
	s := r.s
	next := r.opt.Tol // the gap that the next certificate may have
	if s.Iter > 0 && r.did.Added > 0 {
		next = math.Max(next, fallOfStep*s.Cert.Relative)
	}
	f := math.Abs(s.Objective(r.p))
	price := math.Abs(s.Rho * r.p.Penalty.Deriv(math.Min(s.Rho, r.p.Penalty.Max()))) // ρh'(ρ)
	if price == 0 || math.IsInf(price, 0) {
		price = f
	}
	return math.Min(widestPolar, math.Max(view.Rounding, polarPart*next*f/price))
}

// proveLast proves the bound of a run that ends before its gap is closed, if there is time.
func (r *run) proveLast(ctx context.Context) error {
	if !r.opt.Exact || r.s.Cert.Kind != gcg.Probable || ctx.Err() != nil {
		return nil
	}
	return r.prove(ctx)
}

// prove asks for the same polar with a proven bound, and forgets the probable one.
func (r *run) prove(ctx context.Context) error {
	if r.asked == nil { // the polar came with the state
		ask := r.ask()
		r.asked = &ask
	}
	ask := *r.asked
	ask.Exact, ask.Spectral.Projections = true, nil
	polar, err := r.polarOf(ctx, ask)
	if err != nil {
		return err
	}
	r.s.Polar = polar
	if polar.Kind == gcg.Proven {
		r.s.Cert.LowerBound = math.Inf(-1)
	}
	r.s.Certify(r.p)
	return nil
}

// shift asks for a dual point that closes the gap to the tolerance, where any matrix is one. What a change of the gradient costs
// is about proportional to its square. The factor is learnt where it is not known from the start.
func (r *run) shift() *gcg.ShiftAsk {
	s := r.s
	lambda, price := view.Lambda(r.p, s), s.Rho*r.p.Penalty.Deriv(s.Rho)
	if r.opt.Exact || !(lambda > 0 && price > 0) || math.IsInf(price, 0) || !r.p.FreeDual() {
		return nil
	}
	if r.shiftPrice == 0 {
		r.shiftPrice = shiftShare * r.p.ShiftPrice()
	}
	want := r.opt.Tol * math.Abs(s.Objective(r.p))
	var tried float64 // ‖Δ‖²
	return &gcg.ShiftAsk{
		Level: lambda,
		Enough: func(square float64) float64 {
			tried = square
			if left := goalPart*want - r.shiftPrice*square; left > 0 {
				return lambda * (1 + left/price) // a relative error of the norm costs as much of ρh'(ρ)
			}
			return 0
		},
		At: func(u, v *gcg.Factor, norm float64) *gcg.Shift {
			h := r.p.Shifted(u, v, norm)
			gap := r.p.Objective(s) - h.Bound()
			if gap <= want {
				return h
			}
			r.shiftPrice = gap / tried
			return nil
		},
	}
}

// shiftShare of the price that cells without a click have is what clicks, which weigh more, leave of it.
const shiftShare = 0.85

// An admission is the close check of the first polar of a run, by all that is known of the gauge and the operator.
type admission struct {
	p     *view.Problem
	s     *gcg.State
	g     gcg.Map // of the polar
	polar *gcg.Polar
	ask   gcg.Ask
}

// longAtom is how far the gauge of an atom may be from 1, and the part of ρ that κ(W) may exceed it by, for rounding.
const longAtom = 1e-6

const (
	// attainedOff is how far ⟨a, G⟩ may be from what the polar says of it, as part of that: room for gradients in float32.
	attainedOff = 1e-3
	// attainedRounding is the part of ‖A(a)‖‖r‖ that ⟨a, G⟩ may be off by where its terms cancel.
	attainedRounding = 1e-9
)

// errorf is an error that names the gauge.
func (a *admission) errorf(format string, args ...any) error {
	return &gcg.PolarError{Gauge: a.p.Gauge.Name(), Reason: fmt.Sprintf(format, args...)}
}

// unit refuses an atom whose gauge, computed in the given way, is not 1.
func (a *admission) unit(kappa float64, how string) error {
	if math.Abs(kappa-1) <= longAtom {
		return nil
	}
	return a.errorf("has a first atom whose gauge is %.6g by %s; it is 1 for every atom", kappa, how)
}

// check is for the best atom: what it attains, and its gauge where that can be evaluated.
func (a *admission) check() error {
	x := a.best()
	if x == nil {
		return nil
	}
	if err := a.attains(x); err != nil {
		return err
	}
	m, n := a.g.Dims()
	switch k := a.p; {
	case k.Spectral: // the oracle has seen to it
	case k.Compressor != nil:
		return a.unit(a.p.GaugeOfAtom(*x, m, n), "its Compress")
	case k.BlockGauge != nil:
		if kappa, ok := gaugeOfBlock(k.BlockGauge, x, m, n); ok {
			return a.unit(kappa, "BlockProxTo for t = 0")
		}
	}
	return nil
}

// best is the best atom, or nil where there is none.
func (a *admission) best() *gcg.Atom {
	switch u, v := a.polar.Stacked(); {
	case a.polar.Count() == 0:
		return nil
	case u != nil:
		return &gcg.Atom{U: u.Widen(1), V: v.Widen(1)}
	default:
		return &a.polar.Atoms[0]
	}
}

// attains refuses a polar whose best atom attains something else than it says, or less than its value although the atoms of the
// spaces of W were not left out.
func (a *admission) attains(x *gcg.Atom) error {
	if a.ask.OutsideW && a.polar.Values[0] <= attainedRounding*a.polar.UpperBound() {
		return nil // nothing is outside the spaces of W, and the atom is rounding
	}
	got := a.attained(x)
	said := []float64{a.polar.Values[0]}
	if !a.ask.OutsideW {
		said = append(said, a.polar.Value)
	}
	for _, value := range said {
		off := math.Abs(value - got)
		if off <= attainedOff*math.Max(math.Abs(value), math.Abs(got)) {
			continue
		}
		if size := overObservations(a.p, a.s, x, sizeOfTerm); off > attainedRounding*size {
			return a.errorf("says that its first atom attains %.6g, and ⟨A(a), r⟩ is %.6g: the gauge or the operator's "+
				"adjoint is wrong, and conform.Problem finds which", value, got)
		}
	}
	return nil
}

// attained is ⟨a, G⟩, computed as ⟨A(a), r⟩ where there are predictions: for sparse atoms that costs much less.
func (a *admission) attained(x *gcg.Atom) float64 {
	if a.p.Squares != nil {
		return x.Dot(a.g)
	}
	return overObservations(a.p, a.s, x, func(z, r float64) float64 { return z * r })
}

// overObservations is the sum of f over the predictions A(a) and the residual. An Applier makes them at once, another operator
// block by block, without a vector of all.
func overObservations(p *view.Problem, s *gcg.State, x *gcg.Atom, f func(z, r float64) float64) float64 {
	x = x.Observed()
	var all []float64
	if p.Applier != nil && x.LowRank() {
		all = make([]float64, len(s.R))
		p.Applier.ApplyTo(all, x.U, x.V)
	}
	return p.Sum(func(lo, hi int) (sum float64) {
		var z []float64
		if all != nil {
			z = all[lo:hi]
		} else {
			z = make([]float64, hi-lo)
			p.Operator.AtomTo(z, lo, x)
		}
		for i, r := range s.R[lo:hi] {
			sum += f(z[i], r)
		}
		return sum
	})
}

// sizeOfTerm is |zr|: the sum of the terms of ⟨A(a), r⟩ without their signs is what its rounding is relative to.
func sizeOfTerm(z, r float64) float64 { return math.Abs(z * r) }

// gaugeOfBlock is κ of an atom within one block, and false where it is no such atom.
func gaugeOfBlock(k gcg.BlockGauge, x *gcg.Atom, m, n int) (kappa float64, ok bool) {
	if x.LowRank() || x.Key == 0 {
		return 0, false
	}
	rows, cols := k.Block(x.Key, m, n)
	at := make(map[[2]int32]int, len(rows))
	for e := range rows {
		at[[2]int32{rows[e], cols[e]}] = e
	}
	y := make([]float64, len(rows))
	for e, v := range x.Vals {
		b, ok := at[[2]int32{x.Rows[e], x.Cols[e]}]
		if !ok {
			return 0, false
		}
		y[b] += v
	}
	return k.BlockProxTo(y, y, x.Key, 0), true
}
