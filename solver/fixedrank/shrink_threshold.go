package fixedrank

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// shrinkTo writes shrink(X, t) for X = k.moved into a point. With E the eigenvectors of the Gram matrix of X's shorter side,
// whose eigenvalues are s², X is multiplied from that side by E diag((s-t)₊/s) Eᵀ.
func (k *shrinker) shrinkTo(to *shrinkPoint, t float64) {
	moved := factor.Trimmed(k.moved, k.s.W.M)
	factor.TallTo(k.tall, moved, k.turned())
	k.gram.TMulTo(k.tall, k.tall)
	values, e := k.gram.EigenRows()
	gcg.Repay(to.all)
	to.all = e
	from := 0
	for from < e.K && !(values[from] > t*t) {
		from++
	}
	to.short, to.rho = factor.RowsFrom(e, from), 0
	root := gcg.Room[float32](e.K-from, e.K)
	for i, x := range values[from:] {
		s := math.Sqrt(x)
		kernel.Convert(root.Row(i), to.short.Row(i))
		kernel.Scale(float32(math.Sqrt((s-t)/s)), root.Row(i))
		to.rho += s - t
	}
	by, w := gcg.TMul(root, root), k.w(to)
	if k.turned() {
		w.MulTo(factor.Trimmed(by, e.K), k.moved)
	} else {
		w.MulTo(moved, by)
	}
	gcg.Repay(root, by)
}

// factors are those of W, and a bound of its trace norm: the sum of the lengths of pairs of columns, which are about
// orthogonal.
func (k *shrinker) factors(at *shrinkPoint) (u, v *gcg.Factor, rho float64) {
	factor.TallTo(k.tall, k.w(at), k.turned())
	short := factor.Transposed(at.short, at.short.Rows)
	u, v = gcg.Mul(k.tall, short), factor.Trimmed(short, k.tall.K)
	right := gcg.TMul(v, v).Diagonal()
	for c, x := range gcg.TMul(u, u).Diagonal() {
		rho += math.Sqrt(x * right[c])
	}
	if k.turned() {
		u, v = v, u
	}
	return u, v, rho
}
