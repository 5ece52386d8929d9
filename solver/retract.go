package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// retract moves to (P T + A)(Q + B T⁻¹)ᵀ with T = S + M, see curveEnd for the inverse. Directions in which T is not
// positive would flip the sign of a singular value, where the trace norm has a kink: they are dropped, and come back by regain
// or the polar if that was wrong.
func (n *newton) retract(t tangent[float64]) {
	core := t.m.Clone()
	for i, s := range n.sigma {
		core.Row(i)[i] += s
	}
	inverse, dead := n.curveEnd(core)
	u, v := t.a.Clone(), n.right.Clone()
	u.AddMul(n.left, core)
	v.AddMul(t.b, inverse)
	if dead != nil {
		n.lose(gcg.Mul(n.right, dead))
		c := gcg.Mul(u, dead)
		c.Scale(-1)
		u.AddMul(c, gcg.SmallOf(dead.Dense(n.k()).T()))
	}
	n.left, n.sigma, n.right = gcg.SVD(u, v, 1e-13)
}

// curveEnd is the inverse of the symmetric part of T, and a basis of its eigenvectors whose eigenvalues are not positive, or
// nil. An eigenvalue that has fallen far below that of S counts as a quarter of it: what A and B do there is of no weight, and
// must not grow.
func (n *newton) curveEnd(core *gcg.Factor) (inverse, dead *gcg.Factor) {
	k := n.k()
	values, q := core.SymEigen(true) // ascending
	z := gcg.SmallOf(q)
	scaled := z.Clone()
	for c, x := range values {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		scaled.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	inverse = gcg.Mul(scaled, gcg.SmallOf(q.T()))
	count := 0
	for count < k && values[count] <= 1e-10*values[k-1] {
		count++
	}
	if count > 0 {
		dead = gcg.SmallOf(q.Slice(0, k, 0, count))
	}
	return inverse, dead
}
