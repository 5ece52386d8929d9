package newton

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A preconditioner approximates the inverse of the Hessian of F on tangent vectors. It is symmetric and positive definite
// there; A and B need not come out orthogonal to P and Q.
type preconditioner[T gcg.Real] interface {
	// CoreTo writes the preconditioned M.
	CoreTo(z, r *gcg.Factor)
	// blocksTo writes the preconditioned A and B, after M; where it couples them with M it corrects M too.
	blocksTo(z, r tangent[T])
	repay() // gives its memory back
}

// newPreconditioner is Kronecker's where the second derivatives are about a product, and else a diagonal: where entries are
// sampled that of an earlier point serves while the rank is the same, corrected along pairs of D.
func newPreconditioner[T gcg.Real](n *Iteration, c model.Curvature[T]) preconditioner[T] {
	if c.Separable != nil {
		l, r := c.Separable(n.Basis)
		return newKronecker[T](n, l, r)
	}
	if !c.Sampled {
		da, db := c.Diagonals(n.left, n.right)
		return newJacobi[T](n, da, db)
	}
	if n.diagonals == nil || n.diagonals[0].K != n.K() {
		da, db := c.Diagonals(n.left, n.right)
		n.diagonals = []*gcg.Factor{da, db}
	}
	return withCorrection(n, newJacobi[T](n, n.diagonals[0], n.diagonals[1]), n.sigma)
}

// Jacobi is the inverse diagonal, with the symmetric and the skew part of M apart.
type Jacobi[T gcg.Real] struct {
	Core   *gcg.Factor      // k×k: the diagonal of the loss for M
	a, b   *gcg.FactorOf[T] // m×k and n×k: the inverse diagonals for A and B, or nil where only M is preconditioned
	Sigma  []float64        // S
	Lambda float64
}

// diagonalFloor is the part of the largest entry of the diagonal for M that every entry has more: rows and columns with hardly an
// observation would else take all of a step.
const diagonalFloor = 1e-3

// newJacobi takes da and db, the diagonals of the loss for A and for B, and adds λ/s, those of the trace norm. For M the
// observed squares of both factors count.
func newJacobi[T gcg.Real](n *Iteration, da, db *gcg.Factor) *Jacobi[T] {
	u2 := factor.SquaredEntries(n.left)
	dm := gcg.TMul(u2, da)
	gcg.Repay(u2)
	top := math.Max(factor.MaxOf(dm), 1e-300)
	for i := range n.K() {
		row := dm.Row(i)
		for c := range n.K() {
			row[c] += diagonalFloor * top
		}
	}
	side := func(d *gcg.Factor) *gcg.FactorOf[T] {
		inverse := gcg.Like[T](d, d.K)
		d.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, to := d.Row(i), inverse.Row(i)
				for c, s := range n.sigma {
					to[c] = T(1 / (row[c] + n.lambda/s + diagonalFloor*top))
				}
			}
		})
		return inverse
	}
	return &Jacobi[T]{dm, side(da), side(db), n.sigma, n.lambda}
}

// blocksTo multiplies A and B with the inverse diagonals.
func (j *Jacobi[T]) blocksTo(z, r tangent[T]) {
	factor.Multiply(z.a, r.a, j.a)
	factor.Multiply(z.b, r.b, j.b)
}

// along has the diagonals of the Hessian for each pair of a vector and a column.
func (j *Jacobi[T]) along(x, y *gcg.Factor) (da, db *gcg.Factor, turn *model.Spectrum[T]) {
	return diagonalAlong(x, j.a), diagonalAlong(y, j.b), nil
}

// repay gives its memory back.
func (j *Jacobi[T]) repay() {
	gcg.Repay(j.Core)
	gcg.Repay(j.a, j.b)
}

// CoreTo writes the preconditioned M: the symmetric part over the diagonal, the skew part over that and λ times the curvature
// of the trace norm, 2λ/(sᵢ+s_c).
func (j *Jacobi[T]) CoreTo(z, r *gcg.Factor) {
	for i, si := range j.Sigma {
		for c := range i {
			d := (j.Core.Row(i)[c] + j.Core.Row(c)[i]) / 2
			skew := d + 2*j.Lambda/(si+j.Sigma[c])
			x, y := r.Row(i)[c], r.Row(c)[i]
			z.Row(i)[c] = (x+y)/(2*d) + (x-y)/(2*skew)
			z.Row(c)[i] = (x+y)/(2*d) - (x-y)/(2*skew)
		}
		z.Row(i)[i] = r.Row(i)[i] / j.Core.Row(i)[i]
	}
}

// An average replaces the second derivatives of the loss by rowsᵢ·columnsⱼ/all, as if every row were observed in the same
// columns, more or less often. Their diagonals are made of k numbers for each side, and take no pass with k columns.
type average struct {
	rows, columns *gcg.Factor // weights of each, a column
	p, q          []float64   // Σᵢ rowsᵢ p_ic² and Σⱼ columnsⱼ q_jc²
	all           float64     // Σᵢ rowsᵢ
}

// newAverage is for the present point, where the observations see P and Q as left and right.
func newAverage[T gcg.Real](n *Iteration, c model.Curvature[T], left, right *gcg.FactorOf[T]) average {
	w := c.Weights()
	v := average{rows: w.Rows, columns: w.Columns}
	if rows := w.ObservedRows; rows.Shared != nil {
		v.all = rows.ColumnDots(factor.Ones(rows))[0]
	} else {
		for i := range rows.Rows {
			v.all += rows.Row(i)[0]
		}
	}
	sums := func(f *gcg.FactorOf[T], weights *gcg.Factor) []float64 {
		s := make([]float64, n.K())
		wide := gcg.FactorIn[float64](f)
		f2 := factor.SquaredEntries(wide)
		gcg.TMul(f2, weights).ColumnTo(s, 0)
		gcg.Repay(f2)
		factor.RepayIn(wide, f)
		return s
	}
	v.p, v.q = sums(left, w.ObservedRows), sums(right, w.ObservedColumns)
	return v
}

// unobserved is the part of the largest entry of a diagonal that columns have which meet no observation.
const unobserved = rounding.Null

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
	side := func(p, weights *gcg.Factor, other []float64) *gcg.FactorOf[T] {
		d := gcg.Like[T](p, n.K())
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
	a, b := side(n.left, v.rows, v.q), side(n.right, v.columns, v.p)
	return withCorrection(n, &Jacobi[T]{a: a, b: b}, onesOf(n.K()))
}

// onesOf is k ones: s_c in dU and dV themselves, see lowRankCorrection.
func onesOf(k int) []float64 { return slices.Repeat([]float64{1}, k) }
