package testproblem

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/operator"
)

// NormalDesign is rows of normal features x, for one output.
func NormalDesign(t testing.TB, rng *rand.Rand, rows, features int) (op *operator.Design, x []float64) {
	t.Helper()
	x = make([]float64, rows*features)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	if op, err = operator.NewDesign(f, 1); err != nil {
		t.Fatal(err)
	}
	return op, x
}
