package solver

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

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
