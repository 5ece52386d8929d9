package extending

import (
	"context"
	"errors"

	"github.com/seed-b18ef778/gcg"
)

// Rescale takes the best multiple of W: c ≥ 0 that minimises L(c z) + h(c ρ). The derivative of this convex function is
// ρh'(cρ) - ⟨r(cz), z⟩; bisection finds its root.
type Rescale struct{}

// Name is what results and errors call the improver.
func (Rescale) Name() string { return "rescale" }

// Init refuses an intercept.
func (Rescale) Init(p *gcg.Problem, _ gcg.Settings) error {
	if p.Intercept {
		return errors.New("rescale: predictions with an intercept are no multiple of W's")
	}
	return nil
}

// Improve scales W, and everything that belongs to it.
func (Rescale) Improve(_ context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	cz, r := make([]float64, len(s.Z)), make([]float64, len(s.Z))
	slope := func(c float64) float64 {
		for i, z := range s.Z {
			cz[i] = c * z
		}
		p.Value(cz, r)
		d := s.Rho * p.Penalty.Deriv(c*s.Rho)
		for i, z := range s.Z {
			d -= r[i] * z
		}
		return d
	}
	lo, hi := 0.0, 1.0
	for slope(hi) < 0 && hi < 1<<20 {
		lo, hi = hi, 2*hi
	}
	for range 50 {
		if mid := (lo + hi) / 2; slope(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	s.W.Scale(hi)
	s.Rho *= hi
	s.Refresh(p)
	return did, nil
}
