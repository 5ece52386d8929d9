package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// retract moves to (P T + A)(Q + B T⁻¹)ᵀ with T = S + M, see curveEnd for the inverse. Directions in which T is not
// positive would flip the sign of a singular value, where the trace norm has a kink: they are dropped, and come back by the
// polar if that was wrong. Both factors are turned by the eigenvectors Z of T, in which small and large values do not mix: their
// columns are as good as orthogonal, and SVD has nothing to repair.
func retract[T gcg.Real](n *newton, t tangent[T]) {
	core := copyIn[float64](t.m)
	for i, s := range n.sigma {
		core.Row(i)[i] += s
	}
	z, inverse := n.curveEnd(core)
	if z.K == 0 {
		n.left, n.sigma, n.right = gcg.NewFactor(n.left.Rows, 0), nil, gcg.NewFactor(n.right.Rows, 0)
		return
	}
	u, v := gcg.Mul(n.left, gcg.Mul(core, z)), gcg.Mul(n.right, z)
	u.AddMul(gcg.FactorIn[float64](t.a), z)
	v.AddMul(gcg.FactorIn[float64](t.b), inverse)
	n.left, n.sigma, n.right = gcg.SVD(u, v, 1e-13)
}

// copyIn is F rounded to T, in memory of its own.
func copyIn[T, S gcg.Real](f *gcg.FactorOf[S]) *gcg.FactorOf[T] {
	g := gcg.FactorIn[T](f)
	if any(g) == any(f) {
		g = g.Clone()
	}
	return g
}

// curveEnd is a basis Z of the eigenvectors of the symmetric part of T whose eigenvalues are positive, and T⁻¹Z. An eigenvalue that has
// fallen far below that of S counts as a quarter of it: what A and B do there is of no weight, and must not grow.
func (n *newton) curveEnd(core *gcg.Factor) (z, inverse *gcg.Factor) {
	k := n.k()
	values, q := core.SymEigen(true) // ascending
	dead := 0
	for dead < k && values[dead] <= 1e-10*values[k-1] {
		dead++
	}
	if dead == k {
		return gcg.Small(k, 0), gcg.Small(k, 0)
	}
	z = gcg.SmallOf(q.Slice(0, k, dead, k))
	inverse = z.Clone()
	for c, x := range values[dead:] {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		inverse.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	return z, inverse
}
