package lowranksparse

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/spectral"
	"github.com/seed-b18ef778/gcg/loss"
)

// IALM is the inexact augmented Lagrangian method for λ‖L‖_* + λ₁‖S‖₁ with L + S = D,
//
//	S ← soft(D - L + Y/μ, λ₁/μ)
//	L ← singular values of D - S + Y/μ less λ/μ
//	Y ← Y + μ(D - L - S),   μ ← 1.5 μ
//
// from Y = D/max(‖D‖₂/λ, max|d|/λ₁) and μ = 1.25λ/‖D‖₂, as in the authors' code. Singular triples are those near the last ones,
// as for our own methods. L is the iterate, and Y, moved into the domain of the loss, the dual point of its certificate, which it
// is not charged for.
type IALM struct {
	// Growth is the factor of μ; 0 is 1.5.
	Growth float64

	matrix
	d          *loss.Deviation
	lambda, mu float64
	limit      float64 // of μ
	y, l, s    []float64
}

// Name is ialm.
func (*IALM) Name() string { return "ialm" }

const (
	usualGrowth = 1.5  // of μ a step, the authors' value
	firstWeight = 1.25 // of λ/‖D‖₂ that μ begins at, the authors' value
	mostGrowth  = 1e7  // of μ in all, the authors' value
	normTol     = 1e-3 // of ‖D‖₂, which only sets μ
)

// Init needs a loss.Deviation on all entries of a matrix, with a trace norm and λx.
func (a *IALM) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	d, ok := p.Loss.(*loss.Deviation)
	if !ok {
		return fmt.Errorf("baseline: ialm needs a loss.Deviation, not %T", p.Loss)
	}
	if err := a.begin("ialm", p, s); err != nil {
		return err
	}
	a.d, a.lambda = d, p.Penalty.Deriv(0)
	nobs := len(d.Y)
	norm := spectral.DenseNorm(context.Background(), d.Y, a.m, a.n, 0, normTol)
	var largest float64
	for _, x := range d.Y {
		largest = math.Max(largest, math.Abs(x))
	}
	scale := math.Max(norm/a.lambda, largest/d.Lambda)
	if scale == 0 {
		scale = 1
	}
	a.y, a.l, a.s = make([]float64, nobs), make([]float64, nobs), make([]float64, nobs)
	for i, x := range d.Y {
		a.y[i] = x / scale
	}
	a.mu = firstWeight * a.lambda / math.Max(norm, math.SmallestNonzeroFloat64)
	a.limit = mostGrowth * a.mu
	return nil
}

// Step is one round.
func (a *IALM) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	for i, d := range a.d.Y {
		x := d - a.l[i] + a.y[i]/a.mu
		a.s[i] = linalg.Soft(x, a.d.Lambda/a.mu)
		a.l[i] = d - a.s[i] + a.y[i]/a.mu
	}
	s.W, s.Rho = a.shrink.To(a.l, a.l, a.lambda/a.mu)
	for i, d := range a.d.Y {
		a.y[i] += a.mu * (d - a.l[i] - a.s[i])
	}
	growth := a.Growth
	if growth == 0 {
		growth = usualGrowth
	}
	a.mu = math.Min(a.mu*growth, a.limit)
	copy(s.Z, a.l)
	s.Loss = p.Value(s.Z, nil)
	copy(s.R, a.y)
	a.d.ClipTo(s.R, 0)
	s.Polar, s.Exact = nil, false
	s.Count.Gradients++
	return gcg.Moved{}, nil
}
