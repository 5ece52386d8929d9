package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// Losses that are all but not smooth close within balls of factor gauges, whose atoms are known one by one only: Newton steps on
// their weights, with quadratic models that hold from one bend to the next, did not in a thousand iterations.
func TestBentLossesInBalls(t *testing.T) {
	const n, p, k = 30, 14, 2
	rng := rand.New(rand.NewPCG(0, 1))
	x, of, y := make([]float64, n*p), make([]int32, n), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		of[i], y[i] = int32(i%k), math.Copysign(1, x[i*p]+x[i*p+1]+rng.NormFloat64())
	}
	features, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(features, of, k)
	if err != nil {
		t.Fatal(err)
	}
	inf := math.Inf(1)
	for _, l := range []gcg.Loss{&loss.SmoothedHinge{Y: y, Mu: 0.01}, &loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: 0.01}} {
		for _, g := range []gcg.Gauge{gauge.Factor{C: 2, R: inf}, gauge.Factor{C: inf, R: inf}} {
			for _, zeta := range []float64{0.3, 1} {
				pr := &gcg.Problem{Operator: op, Loss: l, Gauge: g, Penalty: gauge.Ball{Zeta: zeta}}
				m, im, _ := solver.For(pr)
				r, err := solver.Run(context.Background(), pr, m, solver.Options{Tol: 1e-3, Improver: im, MaxIter: 200})
				if err != nil {
					t.Fatal(err)
				}
				if c := r.State.Cert; r.Status != solver.Converged || !(c.LowerBound <= c.Objective) {
					t.Errorf("%T, %s ≤ %g: %s after %d iterations, [%v, %v]", l, g.Name(), zeta, r.Status, r.Iter, c.LowerBound, c.Objective)
				}
			}
		}
	}
}
