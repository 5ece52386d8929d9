package solver_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
)

// Losses whose second derivatives vanish nearly everywhere: whole Newton steps are far too long there.
func TestNarrowLosses(t *testing.T) {
	op, y, signs, _ := regression(t, 80, 50, 1)
	for i := range y {
		y[i] += 20
	}
	for _, mu := range []float64{0.1, 1e-2} {
		for _, l := range []gcg.Loss{&loss.Huber{Y: y, Mu: mu}, &loss.SmoothedHinge{Y: signs, Mu: mu}} {
			for _, intercept := range []bool{false, true} {
				t.Run(fmt.Sprintf("%T %g %v", l, mu, intercept), func(t *testing.T) {
					p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 3}, Intercept: intercept}
					r, err := solver.Run(context.Background(), p, &solver.GCG{}, solver.Options{Improver: &solver.Corrective{}, Tol: 1e-8, MaxIter: 500})
					if err != nil {
						t.Fatal(err)
					}
					if r.Status != solver.Converged {
						t.Errorf("%s after %d iterations at a gap of %g", r.Status, r.Iter, r.State.Cert.Relative)
					}
				})
			}
		}
	}
}

// More features than rows, and outputs that no loss couples: the models of the first supports are nearly flat in many directions.
func TestNarrowLossesOfManyFeatures(t *testing.T) {
	op, y, signs, _ := regression(t, 40, 90, 3)
	for _, l := range []gcg.Loss{&loss.Huber{Y: y, Mu: 0.1, Group: 3}, &loss.SquaredHinge{Y: signs, Group: 3}} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
		top, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.Penalty = gauge.Linear{Lambda: 0.005 * top}
		r, err := solver.Run(context.Background(), p, &solver.GCG{}, solver.Options{Improver: &solver.Corrective{}, Tol: 1e-6, MaxIter: 60})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("%T: %s after %d iterations at a gap of %g", l, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}
