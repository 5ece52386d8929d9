package lowranksparse

import (
	"context"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
)

// IPD is incremental proximal descent for ½Σ w(x-y)² + λ₁‖X‖₁ + λ‖X‖_*,
//
//	X ← X - γ∇f(X)
//	X ← soft(X, γλ₁)
//	X ← singular values of X less γλ
//
// with a constant step, for which it stops short of the optimum by as much as the step is long. What the last line takes off,
// over γ, is the dual point of its certificate, which it is not charged for.
type IPD struct {
	// Stride is γ over 1/max w; 0 is 1.
	Stride float64

	matrix
	l1      *loss.WithL1
	f       *loss.Squared
	gamma   float64
	x, grad []float64
}

// Name is ipd.
func (*IPD) Name() string { return "ipd" }

// Init needs what gfb needs.
func (a *IPD) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	if a.l1, a.f, err = squares("ipd", p); err != nil {
		return err
	}
	if err := a.begin("ipd", p, s); err != nil {
		return err
	}
	a.gamma = 1 / a.f.Curvature()
	if a.Stride > 0 {
		a.gamma *= a.Stride
	}
	a.x, a.grad = make([]float64, a.m*a.n), make([]float64, a.m*a.n)
	return nil
}

// Step is one round.
func (a *IPD) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	a.f.Eval(0, s.Z, a.grad) // -∇f
	for i, x := range s.Z {
		x += a.gamma * a.grad[i]
		a.x[i] = linalg.Soft(x, a.gamma*a.l1.Lambda)
	}
	s.W, s.Rho = a.shrink.To(s.Z, a.x, a.gamma*p.Penalty.Deriv(0))
	for i, z := range s.Z {
		s.R[i] = (a.x[i] - z) / a.gamma
	}
	settle(p, s, a.l1)
	return gcg.Moved{}, nil
}
