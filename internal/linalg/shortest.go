package linalg

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// Shortest is the weights, which sum to 1, with which the combination of moves is shortest. Where moves are too much alike
// to tell, the last has all the weight.
func Shortest(moves [][]float64) []float64 {
	n := len(moves)
	gram, c := mat.NewSymDense(n, nil), mat.NewVecDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			gram.SetSym(i, j, kernel.Dot(moves[i], moves[j]))
		}
		gram.SetSym(i, i, gram.At(i, i)*(1+1e-10))
		c.SetVec(i, 1)
	}
	last := make([]float64, n)
	last[n-1] = 1
	var factor mat.Cholesky
	if !factor.Factorize(gram) || factor.SolveVecTo(c, c) != nil {
		return last
	}
	weights := c.RawVector().Data
	if all := mat.Sum(c); all != 0 {
		kernel.Scale(1/all, weights)
		return weights
	}
	return last
}
