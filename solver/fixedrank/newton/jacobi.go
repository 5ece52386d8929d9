package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/factor"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/model"
)

// A preconditioner approximates the inverse of the Hessian of F on tangent vectors. It is symmetric and positive definite
// there; A and B need not come out orthogonal to P and Q.
type preconditioner[T gcg.Real] interface {
	// coreTo writes the preconditioned M.
	CoreTo(z, r *gcg.Factor)
	// sidesTo writes the preconditioned A and B, after M; where it couples them with M it corrects M too.
	sidesTo(z, r tangent[T])
	repay() // ends what is its own
}

// newPreconditioner is Kronecker's where the second derivatives are about a product, and else a diagonal: where entries are
// sampled that of an earlier point serves while the rank is the same, corrected along pairs outside the spaces of W.
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
	return withCorrection(n, newJacobi[T](n, n.diagonals[0], n.diagonals[1]))
}

// Jacobi is the inverse diagonal, with the symmetric and the skew part of M apart. core is the diagonal of the loss for M, a
// and b are inverses.
type Jacobi[T gcg.Real] struct {
	Core  *gcg.Factor
	a, b  *gcg.FactorOf[T]
	Sigma []float64
	Slope float64
}

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
			row[c] += 1e-3 * top
		}
	}
	side := func(d *gcg.Factor) *gcg.FactorOf[T] {
		inverse := gcg.NewFactorOf[T](d.Rows, d.K)
		d.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				row, to := d.Row(i), inverse.Row(i)
				for c, s := range n.sigma {
					to[c] = T(1 / (row[c] + n.lambda/s + 1e-3*top))
				}
			}
		})
		return inverse
	}
	return &Jacobi[T]{dm, side(da), side(db), n.sigma, n.lambda}
}

func (j *Jacobi[T]) sidesTo(z, r tangent[T]) {
	factor.Multiply(z.a, r.a, j.a)
	factor.Multiply(z.b, r.b, j.b)
}

func (j *Jacobi[T]) repay() {
	gcg.Repay(j.Core)
	gcg.Repay(j.a, j.b)
}

func (j *Jacobi[T]) CoreTo(z, r *gcg.Factor) {
	for i, si := range j.Sigma {
		for c := range i {
			d := (j.Core.Row(i)[c] + j.Core.Row(c)[i]) / 2
			skew := d + 2*j.Slope/(si+j.Sigma[c])
			x, y := r.Row(i)[c], r.Row(c)[i]
			z.Row(i)[c] = (x+y)/(2*d) + (x-y)/(2*skew)
			z.Row(c)[i] = (x+y)/(2*d) - (x-y)/(2*skew)
		}
		z.Row(i)[i] = r.Row(i)[i] / j.Core.Row(i)[i]
	}
}
