package solver

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
)

// A direction of hardly any weight that the data do not ask for goes, and F falls; near the solution it stays.
func TestShedDropsWhatDies(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweep(context.Background(), p, s, 0)
	n := newNewton(p, s)
	n.linearise()
	n.inner = 1
	if n.shed() {
		n.linearise()
	}
	k := n.k()
	n.left, n.right = beside(n.left, axis(n.left)), beside(n.right, axis(n.right))
	n.sigma = append(n.sigma, 1e-3*n.sigma[k-1])
	n.evaluate()
	n.linearise()
	before := n.f
	n.inner = regainBelow
	if n.shed() {
		t.Error("something was dropped near the solution")
	}
	n.inner = 1
	if !n.shed() || n.k() != k || !(n.f < before) || n.lost.K < 1 {
		t.Errorf("rank %d of %d, F from %v to %v", n.k(), k, before, n.f)
	}
}

// axis is the last unit vector, made orthogonal to q.
func axis(q *gcg.Factor) *gcg.Factor {
	e := gcg.NewFactor(q.Rows, 1)
	e.Row(q.Rows - 1)[0] = 1
	e.Project(q)
	unit, _ := gcg.Orthonormal(e, 1e-3)
	return unit
}
