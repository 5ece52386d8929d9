package testproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/operator"
)

// Regression is a small problem with correlated features; its first outputs depend on few of them.
func Regression(t testing.TB, n, p, outputs int) (op *operator.Design, y, signs []float64, labels []int32) {
	t.Helper()
	rng := rand.New(rand.NewPCG(uint64(n*p), 5))
	x := make([]float64, n*p)
	y, signs, labels = make([]float64, n*outputs), make([]float64, n*outputs), make([]int32, n)
	for i := range n {
		for j := range p {
			x[i*p+j] = rng.NormFloat64()
			if j > 0 {
				x[i*p+j] = 0.7*x[i*p+j-1] + 0.7*x[i*p+j]
			}
		}
		for c := range outputs {
			o := i*outputs + c
			y[o] = x[i*p] - 2*x[i*p+min(3, p-1)] + 0.5*rng.NormFloat64() + 1
			signs[o] = math.Copysign(1, y[o]-1+rng.NormFloat64())
			if y[o] > y[i*outputs+int(labels[i])] {
				labels[i] = int32(c)
			}
		}
	}
	f, err := operator.DenseFeatures(n, p, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err = operator.NewDesign(f, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return op, y, signs, labels
}
