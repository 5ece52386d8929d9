package solver_test

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
)

// With an intercept the steps know what it absorbs: as few are needed as without one, whatever the loss couples.
func TestInterceptIsAbsorbed(t *testing.T) {
	const n, p, outputs = 80, 12, 3
	op, y, signs, labels := testproblem.Regression(t, n, p, outputs)
	losses := map[string]gcg.Loss{"squared": &loss.Squared{Y: y, Mean: true, Group: outputs},
		"logistic": &loss.Logistic{Y: signs, Mean: true, Group: outputs},
		"softmax":  &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}}
	for name, l := range losses {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Trace{}} {
			q := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
			top, err := solver.MaxLambda(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			q.Penalty = gauge.Linear{Lambda: 0.05 * top}
			method, improver := &solver.GCG{}, solver.Improver(&solver.Corrective{})
			if _, ok := k.(gauge.Trace); ok {
				method.OutsideW, improver = true, &solver.Local{}
			}
			r, err := solver.Run(context.Background(), q, method, solver.Options{Tol: 1e-7, Improver: improver, MaxIter: 40})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged || r.Iter > 20 {
				t.Errorf("%s, %s: %s after %d iterations with gap %g", name, k.Name(), r.Status, r.Iter, r.State.Cert.Relative)
			}
			var sums [outputs]float64 // Eᵀ∇L, which is 0 at the best intercept
			for i, x := range r.State.R {
				sums[i%outputs] += x
			}
			for c, x := range sums {
				if x > 1e-10 || x < -1e-10 {
					t.Errorf("%s, %s: place %d of the intercept has slope %g", name, k.Name(), c, x)
				}
			}
		}
	}
}
