package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// retract moves to (P T + A)(Q + B H⁻¹)ᵀ, with T = S + M and H its symmetric part, see curveEnd for the inverse. Directions
// in which H is not positive would flip the sign of a singular value, where the trace norm has a kink: they are dropped, and
// the polar brings them back if that was wrong. Both factors are turned by the eigenvectors of H, so that small and
// large values do not mix: the columns are about orthogonal, and the singular value decomposition has nothing to repair.
func retract[T gcg.Real](n *Iteration, t tangent[T]) {
	core := n.moved(t.m)
	z, inverse, dead := n.curveEnd(core)
	if dead.K > 0 {
		n.RememberDropped(gcg.Mul(n.right, dead))
	}
	if z.K == 0 {
		n.left, n.sigma, n.right = gcg.NewFactor(n.left.Rows, 0), nil, gcg.NewFactor(n.right.Rows, 0)
		return
	}
	u, v := gcg.Mul(n.left, gcg.Mul(core, z)), gcg.Mul(n.right, z)
	factor.AddWide(u, t.a, z)
	factor.AddWide(v, t.b, inverse)
	n.left, n.sigma, n.right = gcg.SVD(u, v, nullPart)
	gcg.Repay(u, v)
}

const (
	// nullPart is the part of the largest singular value below which one is rounding after a step, and its direction goes.
	nullPart = 1e-13
	// zeroPart is the part of the largest eigenvalue of H below which one counts as 0. Where H⁻¹ is larger B has lost all digits.
	zeroPart = 1e-10
)

// curveEnd is a basis Z of the eigenvectors of the symmetric part H of T with positive eigenvalues, H⁻¹Z, and a basis of the
// others. An eigenvalue that has fallen far below that of S counts as a quarter of that: A and B have no weight there, and
// must not grow.
func (n *Iteration) curveEnd(core *gcg.Factor) (z, inverse, dead *gcg.Factor) {
	values, z, dead := PositivePart(core, zeroPart)
	inverse = z.Clone()
	for c, x := range values {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		inverse.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	return z, inverse, dead
}

// PositivePart is the eigenvalues of the symmetric part of a Small(k, k) T that exceed a part of the largest, ascending,
// with bases of their eigenvectors and of the others.
func PositivePart(t *gcg.Factor, above float64) (values []float64, z, dead *gcg.Factor) {
	values, e := t.SymEigen(true)
	count := 0
	for count < t.K && values[count] <= above*values[t.K-1] {
		count++
	}
	return values[count:], factor.ColumnsOf(e, count, t.K), factor.ColumnsOf(e, 0, count)
}
