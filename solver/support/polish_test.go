package support_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// What F cannot tell of, at rounding, the gap is the root: with features of very different scales it stalled at 1e-6 and more.
func TestGapsCloseAtRounding(t *testing.T) {
	const rows, features, classes = 130, 6, 5
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 6))
		x, labels := make([]float64, rows*features), make([]int32, rows)
		scale, w := make([]float64, features), make([]float64, features*classes)
		for j := range scale {
			scale[j] = math.Pow(10, 4*rng.Float64()-2)
		}
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		for i := range rows {
			scores := make([]float64, classes)
			for j := range features {
				z := rng.NormFloat64()
				x[i*features+j] = (z + 1) * scale[j]
				for c := range classes {
					scores[c] += z * w[j*classes+c]
				}
			}
			for c := range classes {
				if scores[c] += rng.NormFloat64(); scores[c] > scores[labels[i]] {
					labels[i] = int32(c)
				}
			}
		}
		f, err := operator.DenseFeatures(rows, features, x)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Group{Inner: gauge.LInf}} {
			p := testproblem.ClassesOf(t, f, labels, classes)
			p.Gauge, p.Intercept = k, true
			top, err := solver.MaxLambda(context.Background(), p)
			if err != nil {
				t.Fatal(err)
			}
			p.Penalty = gauge.Linear{Lambda: 1e-5 * top}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-9,
				Improver: &support.Corrective{}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("seed %d, %T: %s after %d iterations at a gap of %g", seed, k, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}
