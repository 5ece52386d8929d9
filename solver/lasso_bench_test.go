package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/yardstick"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// Lasso on 1,000 × 10,000 Gaussian features, 50 of which count, to a certified relative gap of 1e-6, at 0.1 and 0.01 of λ_max.
// One pass Xᵀr is 20 MFlop and 80 MB; there are 4 and 7 of them. At 0.01 the solution has 779 entries. On one shared AMD EPYC
// core
//
//	go test -run '^$' -bench 'Lasso$' -benchtime 5x -cpu 1 ./solver
//
// takes 0.013 and 0.12 CPU seconds; docs/results.md has rivals on like data.
func BenchmarkLasso(b *testing.B) {
	const n, p = 1000, 10000
	rng := rand.New(rand.NewPCG(1, 1))
	x, y := make([]float64, n*p), make([]float64, n)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		for k := range 50 {
			y[i] += x[i*p+k*200] * math.Copysign(1, float64(k%3)-0.5)
		}
		y[i] += rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		b.Fatal(err)
	}
	op, _ := operator.NewDesign(f, 1)
	q := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
	top, err := solver.MaxLambda(context.Background(), q)
	if err != nil {
		b.Fatal(err)
	}
	for _, fraction := range []float64{0.1, 0.01} {
		b.Run(fmt.Sprintf("%g", fraction), func(b *testing.B) {
			q.Penalty = gauge.Linear{Lambda: fraction * top}
			var r *solver.Result
			yardstick.Ratio(b, func() {
				method, improver, _ := solver.For(q)
				r, err = solver.Run(context.Background(), q, method, solver.Options{Tol: 1e-6, Improver: improver})
				if err != nil || r.Status != solver.Converged {
					b.Fatal(err, r.Status)
				}
			})
			b.ReportMetric(float64(r.Iter), "iterations")
			b.ReportMetric(float64(len(r.State.W.Terms)), "entries")
		})
	}
}
