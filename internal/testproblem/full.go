package testproblem

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"gonum.org/v1/gonum/mat"
)

// Full is a completion problem with every entry observed, whose solutions are closed forms: the singular values of W are
// those of X less a threshold.
func Full(t testing.TB, m, n int, scale float64, seed uint64) (*gcg.Problem, []float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 2))
	x := mat.NewDense(m, n, nil)
	for i := range m {
		for j := range n {
			x.Set(i, j, scale*rng.NormFloat64())
		}
	}
	var svd mat.SVD
	if !svd.Factorize(x, mat.SVDNone) {
		t.Fatal("no singular values")
	}
	ptr, cols := make([]int64, m+1), make([]int32, m*n)
	for i := range m {
		ptr[i+1] = int64((i + 1) * n)
		for j := range n {
			cols[i*n+j] = int32(j)
		}
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: x.RawMatrix().Data}, Gauge: gauge.Trace{}}, svd.Values(nil)
}
