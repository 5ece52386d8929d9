package testproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Faced is of groups under ℓ∞ and features of several scales, offset from 0, of which a few matter.
func Faced(t testing.TB, rows, features, outputs int, seed uint64) *gcg.Problem {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 8))
	x, y := make([]float64, rows*features), make([]float64, rows*outputs)
	scale, offset := make([]float64, features), make([]float64, features)
	for j := range features {
		scale[j], offset[j] = math.Pow(10, 2*rng.Float64()-1), 3*rng.NormFloat64()
	}
	w := make([]float64, features*outputs)
	for i := range w {
		if i/outputs%3 == 0 {
			w[i] = rng.NormFloat64()
		}
	}
	for i := range rows {
		for j := range features {
			z := rng.NormFloat64()
			x[i*features+j] = (z + offset[j]) * scale[j]
			for c := range outputs {
				y[i*outputs+c] += z * w[j*outputs+c]
			}
		}
		for c := range outputs {
			y[i*outputs+c] += rng.NormFloat64()
		}
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 1, Group: outputs}, Gauge: gauge.Group{Inner: gauge.LInf},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
}
