package solver

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"gonum.org/v1/gonum/mat"
)

// extrapolateAfter is the number of sweeps between two extrapolations.
const extrapolateAfter = 5

// An extrapolation is Anderson's, of sweeps of coordinate descent [Bertrand and Massias 2021]: the combination of their ends
// at which the moves of the sweeps, combined alike, are shortest. Gradients of a quadratic model combine in the same way, so
// that it costs no product.
type extrapolation struct{ x, g [][]float64 }

// next takes the end (x, g) of another sweep. After extrapolateAfter of them it moves x and g to the combination, if the
// model is lower there, and begins anew.
func (e *extrapolation) next(m *blockModel, x, g []float64, mu float64) {
	e.x, e.g = append(e.x, append([]float64(nil), x...)), append(e.g, append([]float64(nil), g...))
	if len(e.x) <= extrapolateAfter {
		return
	}
	c := e.weights()
	y, gy := make([]float64, len(x)), make([]float64, len(x))
	for i, w := range c {
		kernel.Axpy(w, e.x[i+1], y)
		kernel.Axpy(w, e.g[i+1], gy)
	}
	e.x, e.g = nil, nil
	if m.value(y, gy, mu) < m.value(x, g, mu) {
		copy(x, y)
		copy(g, gy)
	}
}

// weights are those of the ends of all sweeps but the first.
func (e *extrapolation) weights() []float64 {
	moves := make([][]float64, len(e.x)-1)
	for i := range moves {
		moves[i] = append([]float64(nil), e.x[i+1]...)
		kernel.Axpy(-1, e.x[i], moves[i])
	}
	return shortest(moves)
}

// shortest is the weights, which sum to 1, with which the combination of moves is shortest. Where moves are too much alike
// to tell, the last has all the weight.
func shortest(moves [][]float64) []float64 {
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
