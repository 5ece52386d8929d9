package firstorder

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// Anderson is Anderson's acceleration [Walker and Ni 2011] of steps that are close to linear: the combination of the last points
// that steps came to, for which that of their moves is shortest.
type Anderson struct {
	Depth int // of the steps that are remembered

	ends, moves [][]float64
}

// Add remembers a step to end by move, of which it keeps copies.
func (a *Anderson) Add(end, move []float64) {
	var x, d []float64
	if len(a.ends) == a.Depth { // the memory of the oldest
		x, d = a.ends[0], a.moves[0]
		a.ends, a.moves = a.ends[1:], a.moves[1:]
	}
	a.ends, a.moves = append(a.ends, append(x[:0], end...)), append(a.moves, append(d[:0], move...))
}

// Len is the number of steps that are remembered.
func (a *Anderson) Len() int { return len(a.ends) }

// Weights are those of the ends in the combination, the oldest first. They sum to 1.
func (a *Anderson) Weights() []float64 { return shortest(a.moves) }

// CombineTo writes the combination.
func (a *Anderson) CombineTo(dst []float64) {
	clear(dst)
	for k, w := range a.Weights() {
		kernel.Axpy(w, a.ends[k], dst)
	}
}

// Forget forgets all steps but the last few.
func (a *Anderson) Forget(butLast int) {
	from := max(0, len(a.ends)-butLast)
	a.ends, a.moves = a.ends[from:], a.moves[from:]
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
		gram.SetSym(i, i, gram.At(i, i)*(1+rounding.Decomposed))
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
