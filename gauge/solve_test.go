package gauge_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// With every entry observed, the squared loss and h = λx, the optimum is the proximity operator at the data: polar and
// proximity operator of a gauge agree on it, and the certificate that the polar gives encloses it.
func TestPolarAndProxSolveTheSameProblem(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 12
	y := make([]float64, n*n)
	for e := range y {
		y[e] = rng.NormFloat64()
		if i, j := e/n, e%n; j < i {
			y[e] = y[j*n+i] // symmetric, for the semidefinite cone
		}
	}
	for _, k := range []view.ProxGauge{gauge.L1{}, gauge.L1{Weights: weightsOf(n * n)}, gauge.PositiveL1{}, gauge.Group{},
		gauge.Group{Inner: gauge.LInf},
		gauge.Group{ByColumns: true, BySize: true}, gauge.Group{Index: lists("diagonals", n, n)},
		gauge.Lp{P: 3}, gauge.SchattenP{P: 3}, gauge.PSDTrace{}, gauge.Trace{}} {
		polar, err := k.Polar(context.Background(), dense(t, n, n).Adjoint(y), gcg.Ask{Count: 1})
		if err != nil {
			t.Fatal(err)
		}
		lambda := 0.5 * polar.Bound
		p := &gcg.Problem{Operator: dense(t, n, n), Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: gauge.Linear{Lambda: lambda}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-3, MaxIter: 400, Plateau: 1000})
		if err != nil {
			t.Fatalf("%s: %v", k.Name(), err)
		}
		x := make([]float64, n*n)
		optimum := lambda * k.ProxTo(x, y, n, n, lambda)
		for e := range x {
			optimum += (x[e] - y[e]) * (x[e] - y[e]) / 2
		}
		c := r.State.Cert
		if r.Status != solver.Converged || c.LowerBound > optimum*(1+1e-12) || c.Objective < optimum*(1-1e-12) ||
			math.IsNaN(optimum) {
			t.Errorf("%s: %s with %v ≤ F* ≤ %v; the proximity operator attains %v", k.Name(), r.Status, c.LowerBound,
				c.Objective, optimum)
		}
	}
}
