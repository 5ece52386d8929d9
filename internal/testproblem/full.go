package testproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/roots"
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

// Thresholded is F at the singular values max(s-τ, 0), for the τ that solves the penalty's equation τ = h'(Σ max(s-τ, 0)).
func Thresholded(h gcg.Penalty, s []float64) float64 {
	rho := func(tau float64) (r float64) {
		for _, x := range s {
			r += math.Max(x-tau, 0)
		}
		return r
	}
	_, hi := roots.Bisect(0, 2*s[0]+1e-300, 0, func(tau float64) bool {
		r := rho(tau)
		return r > h.Max() || math.IsInf(h.Max(), 1) && h.Deriv(r) > tau
	})
	if !math.IsInf(h.Max(), 1) && rho(0) <= h.Max() {
		hi = 0
	}
	var f float64
	for _, x := range s {
		f += math.Pow(math.Min(x, hi), 2) / 2
	}
	return f + h.Value(math.Min(rho(hi), h.Max()))
}
