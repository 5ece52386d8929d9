package testproblem

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// FirstStep is the state of a problem with the trace norm under λκ and a gcg.CurvedLoss after a step from W = 0: singular
// pairs aᵢ of the gradient whose values σᵢ exceed λ, with the weights (σᵢ - λ)/⟨A(aᵢ), ∇²L A(aᵢ)⟩ of a separable model,
// halved together until F falls.
func FirstStep(t testing.TB, p *gcg.Problem) *gcg.State {
	t.Helper()
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	const most = 16 // pairs
	lambda, f := p.Penalty.Deriv(0), s.Objective(p)
	polar, err := p.Gauge.Polar(context.Background(), s.Gradient(p), gcg.Ask{Count: most, Above: lambda})
	if err != nil {
		t.Fatal(err)
	}
	weights, a, h := make([]float64, len(polar.Atoms)), make([]float64, len(s.Z)), make([]float64, len(s.Z))
	for i := range polar.Atoms {
		clear(a)
		p.ApplyAtoms(a, polar.Atoms[i:i+1], []float64{1})
		p.HessTo(h, s.Z, s.R, a)
		weights[i] = (polar.Values[i] - lambda) / kernel.Dot(a, h)
	}
	m, n, _ := p.Operator.Dims()
	for range 50 {
		w := &gcg.Iterate{M: m, N: n}
		w.Add(polar.Atoms, weights)
		if s, err = gcg.NewState(p, w); err != nil {
			t.Fatal(err)
		}
		if s.Objective(p) < f {
			return s
		}
		for i := range weights {
			weights[i] /= 2
		}
	}
	t.Fatal("no step lowers F")
	return nil
}
