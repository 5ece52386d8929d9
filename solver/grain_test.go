package solver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// Within balls in which W nearly interpolates, where predictions' rounding changes F by far more than that of F, gaps close all
// the same.
func TestGapsCloseNearInterpolation(t *testing.T) {
	const rows, features, tasks = 40, 90, 5
	for seed := range uint64(8) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, y := make([]float64, rows*features), make([]float64, rows*tasks)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range y {
			y[i] = 3*x[i/tasks*features+i%tasks] + rng.NormFloat64()
		}
		f, err := operator.DenseFeatures(rows, features, x)
		if err != nil {
			t.Fatal(err)
		}
		op, err := operator.NewDesign(f, tasks)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range []struct {
			gauge    gcg.Gauge
			improver solver.Improver
		}{{gauge.Trace{}, &fixedrank.Local{}}, {gauge.Group{}, &solver.Corrective{}}} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: c.gauge, Penalty: gauge.Linear{Lambda: 1}}
			_, local := c.improver.(*fixedrank.Local)
			solve := func(h gcg.Penalty, tol float64) *solver.Result {
				p.Penalty = h
				r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: local}, solver.Options{Tol: tol,
					Improver: c.improver})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			top, err := solver.MaxLambda(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			nearly := solve(gauge.Linear{Lambda: 1e-4 * top}, 1e-3)
			r := solve(gauge.Ball{Zeta: nearly.State.Rho}, 1e-6)
			if r.Status != solver.Converged || r.State.Cert.Objective > 1e-3*r.State.LossAtZero {
				t.Errorf("seed %d, %s: %s after %d iterations at a gap of %.2g of %.3g, which was %.3g at 0", seed,
					c.gauge.Name(),
					r.Status, r.Iter,
					r.State.Cert.Relative, r.State.Cert.Objective, r.State.LossAtZero)
			}
		}
	}
}
