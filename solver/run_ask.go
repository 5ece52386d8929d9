package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// ask is what the method wants of the next polar, and how sharp its bound must be.
func (r *run) ask() gcg.Ask {
	ask := r.method.Ask(r.p, r.s)
	ask.W = r.s.W
	ask.Spectral.Projections, r.s.Projections = r.s.Projections, nil
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
	if s.Iter > 0 && s.Added > 0 {
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
