package solver

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// certify asks for the polar at the current iterate, unless it is known, and bounds the gap with it. The next step uses the
// same polar.
func (r *run) certify(ctx context.Context) error {
	start := time.Now()
	s := r.s
	if s.Polar == nil {
		r.watch.look()
		if err := ctx.Err(); err != nil {
			return err
		}
		ask := r.ask()
		polar, err := r.polarOf(ctx, ask)
		if err != nil {
			return err
		}
		s.Polar, r.did.Complement, r.asked = polar, polar.Complement(), &ask
	}
	r.split.Polar += time.Since(start)
	start = time.Now()
	defer func() { r.split.Certificate += time.Since(start) }()
	s.Certify(r.p)
	if r.opt.Exact && s.Cert.Relative <= r.opt.Tol && s.Cert.Kind != gcg.Proven {
		return r.prove(ctx)
	}
	return nil
}

// A Polarless is a Method that may say that its steps ask for no polar, as proximal steps do not. Run asks for one only where a
// certificate is due, after Options.CertifyEvery steps and at the end, and does not charge it to the method's time. Between them
// the gap is that to the best lower bound so far, and State.Polar may be nil when a step begins.
type Polarless interface{ WithoutPolars() bool }

// polarless says that no step of the method needs a polar.
func (r *run) polarless() bool {
	m, ok := r.method.(Polarless)
	return ok && m.WithoutPolars()
}

// due says whether the present iterate of a method without polars is to have a certificate of its own.
func (r *run) due() bool {
	t := r.s.Iter
	if t < r.nextDue {
		return false
	}
	every := r.opt.CertifyEvery
	if every == 0 {
		every = max(1, t/4)
	}
	r.nextDue = t + every
	return true
}

// assess certifies the present iterate: with a polar of its own where that is due, else by the best bound so far. ctx ends with
// the time of the run, and outer, the caller's, does not.
func (r *run) assess(ctx, outer context.Context) error {
	switch {
	case !r.polarless():
		return r.certify(ctx)
	case r.due():
		return r.certifyUncharged(outer)
	}
	r.asked, r.s.Polar = nil, nil
	r.s.Certify(r.p)
	return nil
}

// owed gives the last iterate the certificate that it is owed: within ctx, the caller's, as the run's own time may be up.
func (r *run) owed(ctx context.Context) error {
	if r.s.Polar == nil && r.polarless() && r.s.Cert.Relative > r.opt.Tol && ctx.Err() == nil {
		return r.certifyUncharged(ctx)
	}
	return nil
}

// certifyUncharged is certify while the clock stands still.
func (r *run) certifyUncharged(ctx context.Context) (err error) {
	charged := r.split
	r.watch.pause(func() { err = r.certify(ctx) })
	r.split = charged
	return err
}

// laterTol is the relative error of κ° without the later observations: one in a hundred leaves a gap of about a hundredth.
const laterTol = 1e-3

// boundWithoutLater raises the lower bound at the start of a run by a second dual point, -∇L but 0 on the observations that the
// start was not fitted to. There the start misses, and σ₁ of the gradient may be twice what it was at the optimum of the others;
// without them it is λ again, and the gap is little more than the loss of the later ones. 0 is in the domain of every conjugate.
func (r *run) boundWithoutLater(ctx context.Context) error {
	if r.s.R == nil || view.OfLoss(gcg.Original(r.p.Loss)).Conjugate == nil {
		return nil
	}
	start := time.Now()
	defer func() { r.split.Polar += time.Since(start) }()
	s := *r.s
	s.R = slices.Clone(s.R)
	for _, e := range r.opt.Later {
		s.R[e] = 0
	}
	ask := gcg.Ask{Count: 1, Tol: math.Max(r.polarTol(), laterTol), Exact: r.opt.Exact, W: s.W, Seed: s.Seed + 1}
	polar, err := s.Ask(ctx, r.view.Gauge, s.Gradient(r.p), ask)
	if err != nil {
		return err
	}
	s.Polar = polar
	s.Certify(r.p)
	r.s.Cert = s.Cert
	return nil
}

// A Solution says how nearly the optimality conditions hold: W is an ε-solution [Dudik12 §2.5, eq 13] for ε = Epsilon(),
//
//	(i')   κ°(-∇ℓ(W)) ≤ λ + ε
//	(ii')  |⟨∇ℓ(W), W⟩ + λρ| ≤ ερ
//
// with λ = h'(ρ), on the boundary of a ball the multiplier ⟨-∇ℓ(W), W⟩/ρ, and ρ ≥ κ(W) in place of κ(W). Unlike a
// certificate's gap, ε is in the units of λ and bounds no objective; it is what [Dudik12] stops by.
type Solution struct {
	Excess  float64 // of (i'): the polar's bound less λ; negative where no atom is worth its price
	Balance float64 // of (ii'); 0 for W = 0
}

// Epsilon is the smallest ε ≥ 0 for which both conditions hold.
func (x Solution) Epsilon() float64 {
	if math.IsNaN(x.Excess) || math.IsNaN(x.Balance) {
		return math.NaN()
	}
	return math.Max(0, math.Max(x.Excess, x.Balance))
}

// solutionOf measures the conditions at the state with the bound of its polar; they are NaN where that is nil.
func solutionOf(p *gcg.Problem, s *gcg.State, polar *gcg.Polar) Solution {
	if polar == nil {
		return Solution{math.NaN(), math.NaN()}
	}
	lambda := view.Lambda(p, s)
	x := Solution{Excess: polar.UpperBound() - lambda}
	if s.Rho > 0 {
		x.Balance = math.Abs(lambda - p.InnerProduct(s)/s.Rho)
	}
	return x
}

// Solution measures the optimality conditions at the event. It costs two passes over the predictions.
func (e Event) Solution() Solution { return solutionOf(e.p, e.State, e.polar) }
