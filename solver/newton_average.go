package solver

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
)

// weights are Σⱼ ∇²L_ij of rows and Σᵢ ∇²L_ij of columns for c times the squared loss, a column each. They are computed
// once.
type weights struct{ rows, columns *gcg.Factor }

// of is the weights of rows (m×1) and of columns (n×1).
func (w *weights) of(op diagonalOperator, c float64) (rows, columns *gcg.Factor) {
	if w.rows == nil {
		m, n, _ := op.Dims()
		w.rows, w.columns = observedSquares(op, ones(m), ones(n), c)
	}
	return w.rows, w.columns
}

// An average replaces the second derivatives of the loss by rowsᵢ·columnsⱼ/all, as if every row were observed in the same
// columns, more or less often. Their diagonals are made of k numbers for each side, and take no pass with k columns.
type average struct {
	rows, columns *gcg.Factor // weights of each, a column
	p, q          []float64   // Σᵢ rowsᵢ p_ic² and Σⱼ columnsⱼ q_jc²
	all           float64     // Σᵢ rowsᵢ
}

// newAverage is for the present point.
func newAverage[T gcg.Real](n *newton, c curvature[T]) average {
	var v average
	v.rows, v.columns = c.weights()
	for i := range v.rows.Rows {
		v.all += v.rows.Row(i)[0]
	}
	sums := func(f, weights *gcg.Factor) []float64 {
		s := make([]float64, n.k())
		f2 := squaredEntries(f)
		gcg.TMul(f2, weights).ColumnTo(s, 0)
		gcg.Repay(f2)
		return s
	}
	v.p, v.q = sums(n.left, v.rows), sums(n.right, v.columns)
	return v
}

// coreJacobi is the inverse diagonal for M alone.
func coreJacobi[T gcg.Real](n *newton, v average) *jacobi[T] {
	d := gcg.Small(n.k(), n.k())
	floor := 1e-12*slices.Max(v.p)*slices.Max(v.q)/v.all + 1e-300 // for columns that meet no observation
	for i, x := range v.p {
		for c, y := range v.q {
			d.Row(i)[c] = math.Max(x*y/v.all, floor)
		}
	}
	return &jacobi[T]{core: d, sigma: n.sigma, slope: n.slope}
}

// bilinearInverse is the inverse diagonal for U and V of the local objective, corrected along pairs outside the spaces of W.
func bilinearInverse[T gcg.Real](n *newton, v average) preconditioner[T] {
	one := make([]float64, n.k())
	side := func(weights *gcg.Factor, other []float64) *gcg.FactorOf[T] {
		d := gcg.NewFactorOf[T](weights.Rows, n.k())
		by := make([]T, d.Stride)
		for c, s := range n.sigma {
			by[c] = T(s * other[c] / v.all)
		}
		slope := T(n.slope)
		d.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				weight, row := T(weights.Row(i)[0]), d.Row(i)
				for c, x := range by[:n.k()] {
					row[c] = 1 / (weight*x + slope)
				}
			}
		})
		return d
	}
	for c := range one {
		one[c] = 1
	}
	return withTail(n, &jacobi[T]{a: side(v.rows, v.q), b: side(v.columns, v.p), sigma: one, slope: n.slope})
}
