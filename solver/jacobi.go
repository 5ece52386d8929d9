package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A preconditioner approximates the inverse of the Hessian of F on tangent vectors. It is symmetric and positive definite
// there; A and B need not come out orthogonal to P and Q.
type preconditioner interface {
	applyTo(z, r tangent)
}

// jacobi is the inverse diagonal, with the symmetric and the skew part of M apart.
type jacobi struct {
	diag  tangent
	sigma []float64
	slope float64
}

// newJacobi adds to da and db, the diagonals of the loss for A and for B, those of the trace norm, λ/s; for M the observed
// squares of both factors count. It overwrites da and db.
func newJacobi(n *newton, da, db *gcg.Factor) *jacobi {
	dm := gcg.TMul(squares(n.left), da)
	top := math.Max(maxOf(dm), 1e-300)
	for i := range n.k() {
		row := dm.Row(i)
		for c := range n.k() {
			row[c] += 1e-3 * top
		}
	}
	for _, d := range []*gcg.Factor{da, db} {
		for i := range d.Rows {
			row := d.Row(i)
			for c, s := range n.sigma {
				row[c] += n.slope/s + 1e-3*top
			}
		}
	}
	return &jacobi{tangent{dm, da, db}, n.sigma, n.slope}
}

func maxOf(f *gcg.Factor) float64 {
	var top float64
	for _, x := range f.Data {
		top = math.Max(top, x)
	}
	return top
}

func (j *jacobi) applyTo(z, r tangent) {
	r.copyTo(z)
	for i, si := range j.sigma {
		for c := range i {
			d := (j.diag.m.Row(i)[c] + j.diag.m.Row(c)[i]) / 2
			skew := d + 2*j.slope/(si+j.sigma[c])
			x, y := r.m.Row(i)[c], r.m.Row(c)[i]
			z.m.Row(i)[c] = (x+y)/(2*d) + (x-y)/(2*skew)
			z.m.Row(c)[i] = (x+y)/(2*d) - (x-y)/(2*skew)
		}
		z.m.Row(i)[i] = r.m.Row(i)[i] / j.diag.m.Row(i)[i]
	}
	divide(z.a, j.diag.a, len(j.sigma))
	divide(z.b, j.diag.b, len(j.sigma))
}

func divide(x, d *gcg.Factor, k int) {
	for i := range x.Rows {
		row, by := x.Row(i), d.Row(i)
		for c := range k {
			row[c] /= by[c]
		}
	}
}
