package lowranksparse

import (
	"context"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
)

// GFB is generalised forward-backward splitting for ½Σ w(x-y)² + λ₁‖X‖₁ + λ‖X‖_*, both norms with the weight ½:
//
//	X  ← ½(Z₁ + Z₂)
//	X₁ ← soft(2X - Z₁ - γ∇f(X), 2γλ₁)                      Z₁ ← Z₁ + X₁ - X
//	X₂ ← singular values of 2X - Z₂ - γ∇f(X) less 2γλ      Z₂ ← Z₂ + X₂ - X
//
// X₂ is the iterate, and what the last line takes off, over 2γ, the dual point of its certificate, which it is not charged for.
type GFB struct {
	// Stride is γ over 1/max w; 0 is 1.9, the best of those up to 2 that it converges for.
	Stride float64

	matrix
	l1        *loss.WithL1
	f         *loss.Squared
	gamma     float64
	x, z1, z2 []float64
	grad, v   []float64
}

// Name is gfb.
func (*GFB) Name() string { return "gfb" }

// usualStride is γ over 1/max w: of 1, 1.5 and 1.9 the last takes the fewest steps to any gap.
const usualStride = 1.9

// Init needs a loss.WithL1 of a squared loss on all entries of a matrix, with a trace norm and λx.
func (a *GFB) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	if a.l1, a.f, err = squares("gfb", p); err != nil {
		return err
	}
	if err := a.begin("gfb", p, s); err != nil {
		return err
	}
	stride := a.Stride
	if stride == 0 {
		stride = usualStride
	}
	a.gamma = stride / a.f.Curvature()
	for _, x := range []*[]float64{&a.x, &a.z1, &a.z2, &a.grad, &a.v} {
		*x = make([]float64, a.m*a.n)
	}
	return nil
}

// Step is one round.
func (a *GFB) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	for i := range a.x {
		a.x[i] = (a.z1[i] + a.z2[i]) / 2
	}
	a.f.Eval(0, a.x, a.grad) // -∇f
	shift := 2 * a.gamma * a.l1.Lambda
	for i, x := range a.x {
		v := 2*x - a.z1[i] + a.gamma*a.grad[i]
		a.z1[i] += linalg.Soft(v, shift) - x
		a.v[i] = 2*x - a.z2[i] + a.gamma*a.grad[i]
	}
	theta := 2 * a.gamma * p.Penalty.Deriv(0)
	s.W, s.Rho = a.shrink.To(s.Z, a.v, theta)
	for i, z := range s.Z {
		a.z2[i] += z - a.x[i]
		s.R[i] = (a.v[i] - z) / (2 * a.gamma)
	}
	settle(p, s, a.l1)
	return gcg.Moved{}, nil
}
