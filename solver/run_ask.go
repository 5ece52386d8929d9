package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
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
	return ask
}

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
	want, inner := 0.95*r.opt.Tol*math.Abs(s.Objective(r.p)), r.p.Inner(s)
	lambda := r.p.Penalty.Deriv(math.Inf(1))
	excess := want + inner - lambda*s.Rho // of the gap wanted beyond that of t = 1
	if math.IsInf(lambda, 1) || excess <= 0 || inner <= 0 {
		return (want + inner) / s.Rho
	}
	less := 2 * excess / (inner + math.Sqrt(inner*inner+4*math.Max(s.Loss, 0)*excess)) // 1-t
	return lambda / math.Max(1-less, 1e-3)
}

// polarTol is how sharp the bound of the next polar must be. A relative error δ of κ° costs about δ·ρh'(ρ) of the gap, so a
// tenth of the gap that can be hoped for is left to it.
func (r *run) polarTol() float64 {
	s := r.s
	hope := r.opt.Tol
	if s.Iter > 0 && s.Added > 0 {
		hope = math.Max(hope, 0.1*s.Cert.Relative)
	}
	f := math.Abs(s.Objective(r.p))
	slope := math.Abs(s.Rho * r.p.Penalty.Deriv(math.Min(s.Rho, r.p.Penalty.Max())))
	if slope == 0 || math.IsInf(slope, 0) {
		slope = f
	}
	return math.Min(0.1, math.Max(1e-14, 0.1*hope*f/slope))
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
