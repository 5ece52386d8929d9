package testproblem

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/gauge/rowscolumns"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// Selection is ½‖D - D W D‖² + λ(Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞) for a row-major p×q D, which is scaled to ‖D‖ = 1 in place, with
// C for the right D, C Cᵀ = D Dᵀ [Cheung15 eq 41].
func Selection(t testing.TB, p, q int, d []float64, lambda float64) *gcg.Problem {
	t.Helper()
	kernel.Scale(1/math.Sqrt(kernel.SumSq(d)), d)
	c := operator.Reduced(p, q, d)
	op, err := operator.NewSandwich(p, q, d, p, p, c)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: c, Group: p}, Gauge: rowscolumns.Gauge{},
		Penalty: gauge.Linear{Lambda: lambda}}
}

// FactorMatrix is a p×q matrix of the given rank and some noise, with columns of unequal size.
func FactorMatrix(seed uint64, p, q, rank int) []float64 {
	rng := rand.New(rand.NewPCG(seed, 15))
	u, v := make([]float64, p*rank), make([]float64, q*rank)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	d := make([]float64, p*q)
	for j := range q {
		size := math.Exp(rng.NormFloat64())
		for i := range p {
			d[i*q+j] = size * (kernel.Dot(u[i*rank:(i+1)*rank], v[j*rank:(j+1)*rank]) + 0.3*rng.NormFloat64())
		}
	}
	return d
}
