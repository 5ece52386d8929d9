package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// From a rank of splitFrom on products of factors with k×k matrices cost more than passes, and steps in the factors and in M by turns are
// cheaper than steps in both at once. So they are at any rank where the excess is below splitBelow: there M takes few products, of a third of
// the cost, and the factors fewer without it. Farther away M and the factors move together, and taking turns takes many; and so it may be near a
// degenerate one, where a step does not halve the excess.
const (
	splitFrom  = 24
	splitBelow = 0.01
)

// moderate says that float32 has the range for squares of the numbers of the model.
func (n *newton) moderate() bool {
	return math.Min(n.sigma[n.k()-1], n.slope) > 1e-15 && math.Max(n.sigma[0], n.slope) < 1e15
}

// back returns to an earlier point, and the model with it.
func (n *newton) back(old *newton) {
	*n = *old
	n.model.value(n.factors())
}

// leave ends an earlier point that nobody comes back to.
func (n *newton) leave(old *newton) {
	if n.left != old.left {
		gcg.Repay(old.left, old.right)
	}
	if g := old.grad; g.gq != nil && g.gq != n.grad.gq {
		gcg.Repay(g.m, g.gq, g.gp)
	}
}

// nearRounding decides by the gradient where F can no longer tell two points apart. W = 0 is as good as any, and has none.
func (n *newton) nearRounding(old *newton) bool {
	if n.k() == 0 {
		return true
	}
	n.linearise()
	if n.inner < 0.9*old.inner {
		return true
	}
	n.back(old)
	return false
}

// trusted is the number of conjugate gradient steps that the model is worth, while second derivatives are not worth forming. Where W has most of
// the directions that there are, and none were added, such steps are all that is left to do.
func (n *newton) trusted(cg int, growing bool) int {
	full := !growing && 2*n.k() > min(n.left.Rows, n.right.Rows)
	if !n.quadratic() && !full && n.inner > farGap {
		cg = min(cg, growthCG)
	}
	return max(1, min(cg, n.formation.left(n.k(), n.products)))
}
