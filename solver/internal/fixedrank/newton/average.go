package newton

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// An average replaces the second derivatives of the loss by rowsᵢ·columnsⱼ/all, as if every row were observed in the same
// columns, more or less often. Their diagonals are made of k numbers for each side, and take no pass with k columns.
type average struct {
	rows, columns *gcg.Factor // weights of each, a column
	p, q          []float64   // Σᵢ rowsᵢ p_ic² and Σⱼ columnsⱼ q_jc²
	all           float64     // Σᵢ rowsᵢ
}

// newAverage is for the present point.
func newAverage[T gcg.Real](n *Iteration, c model.Curvature[T]) average {
	var v average
	v.rows, v.columns = c.Weights()
	for i := range v.rows.Rows {
		v.all += v.rows.Row(i)[0]
	}
	sums := func(f, weights *gcg.Factor) []float64 {
		s := make([]float64, n.K())
		f2 := factor.SquaredEntries(f)
		gcg.TMul(f2, weights).ColumnTo(s, 0)
		gcg.Repay(f2)
		return s
	}
	v.p, v.q = sums(n.left, v.rows), sums(n.right, v.columns)
	return v
}

// unobserved is the part of the largest entry of a diagonal that columns have which meet no observation.
const unobserved = 1e-12

// coreJacobi is the inverse diagonal for M alone.
func coreJacobi[T gcg.Real](n *Iteration, v average) *Jacobi[T] {
	d := gcg.Small(n.K(), n.K())
	floor := unobserved*slices.Max(v.p)*slices.Max(v.q)/v.all + 1e-300
	for i, x := range v.p {
		for c, y := range v.q {
			d.Row(i)[c] = math.Max(x*y/v.all, floor)
		}
	}
	return &Jacobi[T]{Core: d, Sigma: n.sigma, Lambda: n.lambda}
}

// bilinearInverse is the inverse diagonal for U and V of the local objective, corrected along pairs of D.
func bilinearInverse[T gcg.Real](n *Iteration, v average) preconditioner[T] {
	one := make([]float64, n.K())
	side := func(weights *gcg.Factor, other []float64) *gcg.FactorOf[T] {
		d := gcg.NewFactorOf[T](weights.Rows, n.K())
		by := make([]T, d.Stride)
		for c, s := range n.sigma {
			by[c] = T(s * other[c] / v.all)
		}
		lambda := T(n.lambda)
		d.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				weight, row := T(weights.Row(i)[0]), d.Row(i)
				for c, x := range by[:n.K()] {
					row[c] = 1 / (weight*x + lambda)
				}
			}
		})
		return d
	}
	for c := range one {
		one[c] = 1
	}
	return withCorrection(n, &Jacobi[T]{a: side(v.rows, v.q), b: side(v.columns, v.p), Sigma: one, Lambda: n.lambda})
}
