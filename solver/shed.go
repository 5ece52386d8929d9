package solver

import "github.com/seed-b18ef778/gcg"

// shed drops the directions that are on their way to 0: those whose weight is less than half of what a Newton step along them alone
// would take off. Conjugate gradients find the same in twice as many products, as most of what they work on are the vectors of such
// directions, that go with them. Near the solution, where a small weight may belong to vectors that have yet to turn, nothing is dropped.
// It reports whether F fell; what was dropped wrongly comes back by regain.
func (n *newton) shed() bool {
	if n.inner <= regainBelow {
		return false
	}
	var tail []int
	for c := range n.sigma {
		if n.grad.m.Row(c)[c] > shedAbove*n.slope {
			tail = append(tail, c)
		}
	}
	if len(tail) == 0 || len(tail) == n.k() {
		return false
	}
	curve := n.model.curvatures(pick(n.left, tail), pick(n.right, tail))
	dead, dying := make([]bool, n.k()), 0
	for i, c := range tail {
		if n.sigma[c]*curve(i) < n.grad.m.Row(c)[c]/2 {
			dead[c] = true
			dying++
		}
	}
	if dying == 0 {
		return false
	}
	return n.without(dead)
}

// shedAbove is the part of λ that the gradient along a direction must exceed.
const shedAbove = 1e-3

// without drops directions if F falls.
func (n *newton) without(dead []bool) bool {
	old := *n
	var keep, gone []int
	n.sigma = nil
	for c, s := range old.sigma {
		if dead[c] {
			gone = append(gone, c)
			continue
		}
		keep, n.sigma = append(keep, c), append(n.sigma, s)
	}
	n.left, n.right = pick(old.left, keep), pick(old.right, keep)
	if n.evaluate(); !(n.f <= old.f) {
		n.back(&old)
		return false
	}
	n.lose(pick(old.right, gone))
	return true
}

// pick is the columns of F that are listed.
func pick(f *gcg.Factor, columns []int) *gcg.Factor {
	g := gcg.NewFactor(f.Rows, len(columns))
	g.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			to, from := g.Row(i), f.Row(i)
			for c, at := range columns {
				to[c] = from[at]
			}
		}
	})
	return g
}
