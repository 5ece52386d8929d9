package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// shed drops the directions that are on their way to 0: those whose weight is less than half of what a Newton step along
// them alone would take off, if F falls without them, which it reports. Conjugate gradients find the same in twice as many
// products, most of which are spent on the vectors of these directions. Near the solution a small weight may belong to
// vectors that have yet to turn, and only those go that would not come to λ by turning. What was dropped wrongly comes back
// by regain.
func (n *newton) shed() bool {
	var tail []int
	for c := range n.sigma {
		if n.grad.m.Row(c)[c] > shedAbove*n.slope {
			tail = append(tail, c)
		}
	}
	if n.far <= regainBelow {
		tail = n.hopeless(tail)
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

// shedAbove is the part of λ that the gradient along such a direction must exceed.
const shedAbove = 1e-3

// hopeless are those of the listed directions c that stay below λ wherever their vectors turn, as the norm of [C_cc ‖B_c‖;
// ‖A_c‖ ‖D‖] is. None are found where ‖D‖ is not known, nor where the preconditioner knows what is just below λ, with which
// they cost few products.
func (n *newton) hopeless(list []int) (out []int) {
	if n.rest == 0 || n.near != nil || len(list) == 0 {
		return nil
	}
	e, f := squaredLengths(n.grad.gq, list), squaredLengths(n.grad.gp, list)
	for i, c := range list {
		for j := range n.k() {
			column, row := n.core(j, c), n.core(c, j)
			e[i] -= column * column
			f[i] -= row * row
		}
		a, b := math.Sqrt(math.Max(e[i], 0)), math.Sqrt(math.Max(f[i], 0))
		if linalg.Norm2(n.core(c, c), b, a, n.rest) < n.slope {
			out = append(out, c)
		}
	}
	return out
}

// core is C_ij.
func (n *newton) core(i, j int) float64 {
	if i == j {
		return n.slope - n.grad.m.Row(i)[i]
	}
	return -n.grad.m.Row(i)[j]
}

// squaredLengths are those of the listed columns of F.
func squaredLengths(f *gcg.Factor, list []int) []float64 {
	columns := pick(f, list)
	return gcg.TMul(columns, columns).Diagonal()
}

// without drops directions if F does not rise, which it reports.
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
	n.leave(&old)
	return true
}
