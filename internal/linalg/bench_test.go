package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// Eigenvalues with all vectors, with the rows of two blocks of 8, with none, and the largest alone; singular values with vectors.
func BenchmarkDecompositions(b *testing.B) {
	for _, n := range []int{8, 33, 113, 160} {
		s := falling(n)
		ends := count(n)[:min(n, 16)]
		for _, bench := range []struct {
			name string
			call func()
		}{
			{"SymEigen", func() { SymEigen(s, true) }},
			{"SymEigenRows", func() { SymEigenRows(s, ends) }},
			{"values", func() { SymEigen(s, false) }},
			{"TopEigenvalue", func() { TopEigenvalue(s) }},
			{"ThinSVD", func() { ThinSVD(mat.DenseCopyOf(s)) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, n), func(b *testing.B) {
				for b.Loop() {
					bench.call()
				}
			})
		}
	}
}

// falling is AᵀA for a random A of columns that fall to a twentieth.
func falling(n int) *mat.SymDense {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	s := mat.NewSymDense(n, nil)
	row := mat.NewVecDense(n, nil)
	for range 2 * n {
		for j := range n {
			row.SetVec(j, rng.NormFloat64()*math.Exp(-3*float64(j)/float64(n)))
		}
		s.SymRankOne(s, 1, row)
	}
	return s
}
