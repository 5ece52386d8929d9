package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Eigenvectors of matrices large enough for many rotations: random ones, graded ones, and projections, whose values are all 0 or 1.
func TestEigenvectorsOfLargeMatrices(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, n := range []int{40, 97} {
		for kind, value := range map[string]func(i int) float64{
			"random":     func(int) float64 { return rng.NormFloat64() },
			"graded":     func(i int) float64 { return math.Pow(0.7, float64(i)) },
			"projection": func(i int) float64 { return float64(i % 2) },
		} {
			t.Run(fmt.Sprint(kind, n), func(t *testing.T) {
				a := mat.NewDense(n, n, nil)
				for i := range n {
					for j := range n {
						a.Set(i, j, rng.NormFloat64())
					}
				}
				p, _, _ := ThinSVD(a)
				s := mat.NewSymDense(n, nil)
				for l := range n {
					s.SymRankOne(s, value(l), p.ColView(l))
				}
				values, q := SymEigen(s, true)
				var back, gram mat.Dense
				back.Product(q, mat.NewDiagDense(n, values), q.T())
				back.Sub(&back, s)
				gram.Mul(q.T(), q)
				gram.Sub(&gram, identity(n, true))
				if off, skew := largest(&back), largest(&gram); off > 1e-13*largest(s) || skew > 1e-13 {
					t.Errorf("QΛQᵀ is off by %g, QᵀQ by %g", off, skew)
				}
			})
		}
	}
}
