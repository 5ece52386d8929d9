package linalg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"gonum.org/v1/gonum/mat"
)

// TopEigenvalue is the largest eigenvalue of S, by bisection on a tridiagonal matrix: a tenth of the time of all of them. It
// is NaN where an entry is NaN or infinite.
func TopEigenvalue(s *mat.SymDense) float64 {
	a, n := bothTriangles(s), s.SymmetricDim()
	defer memory.Repay(a)
	exponent, ok := toUnit(a)
	if !ok {
		return math.NaN()
	}
	t := reduce(a, n)
	defer t.repay()
	return math.Ldexp(t.top(), exponent)
}

// top is the largest eigenvalue of T, rounded up.
func (t *tridiagonal) top() float64 {
	squares := make([]float64, t.n)
	lo, hi, before := math.Inf(-1), math.Inf(-1), 0.0
	for i, d := range t.d {
		next := math.Abs(t.e[i])
		lo, hi = math.Max(lo, d), math.Max(hi, d+before+next)
		squares[i], before = next*next, next
	}
	_, hi = roots.Bisect(lo, hi, 0, func(x float64) bool { return !t.above(x, squares) })
	return hi
}

// above reports whether all eigenvalues of T are below x: whether all pivots of T - xI are negative. squares has the squares
// of the off-diagonal.
func (t *tridiagonal) above(x float64, squares []float64) bool {
	pivot := t.d[0] - x
	for i, d := range t.d[1:] {
		if !(pivot < 0) {
			return false
		}
		pivot = d - x - squares[i]/pivot
	}
	return pivot < 0
}
