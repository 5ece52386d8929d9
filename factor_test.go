package gcg_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// Ill-conditioned and dependent columns: the basis is orthonormal and reproduces F.
func TestOrthonormal(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for _, tiny := range []float64{1, 1e-4, 1e-9, 1e-13, 0} {
		f := gcg.NewFactor(200, 9)
		for i := range f.Rows {
			row := f.Row(i)
			for c := range f.K {
				row[c] = rng.NormFloat64()
			}
			row[7] = row[0] + row[1] + tiny*row[7] // nearly dependent
			row[8] = 1e-9 * row[8]                 // small, but a direction of its own
		}
		q, c := f.Orthonormal(1e-14)
		gram := gcg.TMul(q, q)
		for i := range q.K {
			for j := range q.K {
				want := 0.0
				if i == j {
					want = 1
				}
				if d := math.Abs(gram.Row(i)[j] - want); d > 1e-12 {
					t.Fatalf("tiny %g: QᵀQ[%d,%d] is off by %g", tiny, i, j, d)
				}
			}
		}
		back := gcg.Mul(q, c)
		back.AddScaled(-1, f)
		if d := math.Sqrt(back.Dot(back) / f.Dot(f)); d > 1e-13 {
			t.Errorf("tiny %g: QC differs from F by %g", tiny, d)
		}
		if tiny >= 1e-9 && q.K != 9 || tiny == 0 && q.K != 8 {
			t.Errorf("tiny %g: rank %d", tiny, q.K)
		}
	}
}
