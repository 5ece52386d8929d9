package solver

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A direction of hardly any weight that the data do not ask for goes, and F falls; near the solution it stays.
func TestShedDropsWhatDies(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.linearise()
	n.far = 1
	if n.shed() {
		n.linearise()
	}
	k := n.k()
	n.left, n.right = gcg.Beside(n.left, axis(n.left)), gcg.Beside(n.right, axis(n.right))
	n.sigma = append(n.sigma, 1e-3*n.sigma[k-1])
	n.evaluate()
	n.linearise()
	before := n.f
	n.far = regainBelow
	if n.shed() {
		t.Error("something was dropped near the solution")
	}
	n.far = 1
	if !n.shed() || n.k() != k || !(n.f < before) || n.lost.K < 1 {
		t.Errorf("rank %d of %d, F from %v to %v", n.k(), k, before, n.f)
	}
}

// Directions without which F is higher stay.
func TestShedKeepsWhatLowersF(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.linearise()
	f, k, dead := n.f, n.k(), make([]bool, n.k())
	dead[0] = true
	if n.without(dead) || n.k() != k || len(n.sigma) != k {
		t.Errorf("rank %d of %d", n.k(), k)
	}
	if n.evaluate(); math.Abs(n.f-f) > 1e-12*f {
		t.Errorf("F went from %v to %v", f, n.f)
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

// What is hopeless is what the norms of the four blocks say, taken one direction at a time; where ‖D‖ is not known nothing is.
func TestHopeless(t *testing.T) {
	p, s := sweepProblem(t, 1)
	p.Penalty = gauge.Linear{Lambda: 4}
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.left, n.right = gcg.Beside(n.left, axis(n.left)), gcg.Beside(n.right, axis(n.right))
	n.sigma = append(n.sigma, 1e-3*n.sigma[n.k()-1])
	n.evaluate()
	n.linearise()
	var all []int
	for c := range n.k() {
		all = append(all, c)
	}
	if list := n.hopeless(all); list != nil {
		t.Errorf("%v without ‖D‖", list)
	}
	n.rest = 0.1 * n.slope
	got := map[int]bool{}
	for _, c := range n.hopeless(all) {
		got[c] = true
	}
	if len(got) == 0 || len(got) == n.k() {
		t.Errorf("%d of %d are hopeless", len(got), n.k())
	}
	for _, c := range all {
		x, y := pick(n.left, []int{c}), pick(n.right, []int{c})
		e, f := gcg.Both(n.model.gradient(), x, y)
		value := x.Dot(e)
		e.Project(n.left)
		f.Project(n.right)
		if want := linalg.Norm2(value, math.Sqrt(f.Dot(f)), math.Sqrt(e.Dot(e)), n.rest) < n.slope; got[c] != want {
			t.Errorf("direction %d is hopeless: %v", c, got[c])
		}
	}
}
