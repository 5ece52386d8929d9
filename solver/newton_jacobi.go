package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A preconditioner approximates the inverse of the Hessian of F on tangent vectors. It is symmetric and positive definite
// there; A and B need not come out orthogonal to P and Q.
type preconditioner[T gcg.Real] interface {
	// coreTo writes the preconditioned M.
	coreTo(z, r *gcg.Factor)
	// sidesTo writes the preconditioned A and B, after M; where it couples them with M it corrects M too.
	sidesTo(z, r tangent[T])
	repay() // ends what is its own
}

// newPreconditioner is Kronecker's where the second derivatives are about a product, and else a diagonal: where entries are
// sampled that of an earlier point serves while the rank is the same, corrected along pairs outside the spaces of W.
func newPreconditioner[T gcg.Real](n *newton, c curvature[T]) preconditioner[T] {
	if c.separable != nil {
		l, r := c.separable(n.basis)
		return newKronecker[T](n, l, r)
	}
	if !c.sampled {
		da, db := c.diagonals(n.left, n.right)
		return newJacobi[T](n, da, db)
	}
	if n.diagonals == nil || n.diagonals[0].K != n.k() {
		da, db := c.diagonals(n.left, n.right)
		n.diagonals = []*gcg.Factor{da, db}
	}
	return withTail(n, newJacobi[T](n, n.diagonals[0], n.diagonals[1]))
}

// jacobi is the inverse diagonal, with the symmetric and the skew part of M apart. core is the diagonal of the loss for M, a
// and b are inverses.
type jacobi[T gcg.Real] struct {
	core  *gcg.Factor
	a, b  *gcg.FactorOf[T]
	sigma []float64
	slope float64
}

// newJacobi takes da and db, the diagonals of the loss for A and for B, and adds λ/s, those of the trace norm. For M the
// observed squares of both factors count.
func newJacobi[T gcg.Real](n *newton, da, db *gcg.Factor) *jacobi[T] {
	u2 := squaredEntries(n.left)
	dm := gcg.TMul(u2, da)
	gcg.Repay(u2)
	top := math.Max(maxOf(dm), 1e-300)
	for i := range n.k() {
		row := dm.Row(i)
		for c := range n.k() {
			row[c] += 1e-3 * top
		}
	}
	side := func(d *gcg.Factor) *gcg.FactorOf[T] {
		inverse := gcg.NewFactorOf[T](d.Rows, d.K)
		d.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, to := d.Row(i), inverse.Row(i)
				for c, s := range n.sigma {
					to[c] = T(1 / (row[c] + n.slope/s + 1e-3*top))
				}
			}
		})
		return inverse
	}
	return &jacobi[T]{dm, side(da), side(db), n.sigma, n.slope}
}

func (j *jacobi[T]) sidesTo(z, r tangent[T]) {
	multiply(z.a, r.a, j.a)
	multiply(z.b, r.b, j.b)
}

func (j *jacobi[T]) repay() {
	gcg.Repay(j.core)
	gcg.Repay(j.a, j.b)
}

func (j *jacobi[T]) coreTo(z, r *gcg.Factor) {
	for i, si := range j.sigma {
		for c := range i {
			d := (j.core.Row(i)[c] + j.core.Row(c)[i]) / 2
			skew := d + 2*j.slope/(si+j.sigma[c])
			x, y := r.Row(i)[c], r.Row(c)[i]
			z.Row(i)[c] = (x+y)/(2*d) + (x-y)/(2*skew)
			z.Row(c)[i] = (x+y)/(2*d) - (x-y)/(2*skew)
		}
		z.Row(i)[i] = r.Row(i)[i] / j.core.Row(i)[i]
	}
}
