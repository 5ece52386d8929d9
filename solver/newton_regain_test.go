package solver

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// A direction that the gradient wants comes back from a neighbour of what was dropped, and F falls; where nothing was dropped, or
// nothing is wanted, the point stays.
func TestRegainTakesBackWhatIsWanted(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.goal = 1 // any inner gap will do
	n.linearise()
	if n.regain() {
		t.Error("something came back though nothing was dropped")
	}
	k := n.k()
	dropped := n.withoutLeading()
	n.lose(dropped)
	before := n.f
	if !n.regain() || n.k() < k || !(n.f < before) {
		t.Errorf("rank %d of %d, F from %v to %v", n.k(), k, before, n.f)
	}
}

// withoutLeading drops the leading direction, and returns a neighbour of its right vector.
func (n *newton) withoutLeading() *gcg.Factor {
	k := n.k()
	dropped := gcg.NewFactor(n.right.Rows, 1)
	column := make([]float64, n.right.Rows)
	n.right.ColumnTo(column, 0)
	dropped.SetColumn(0, column, 1)
	for i := range column {
		dropped.Row(i)[0] += 0.1 * n.right.Row(i)[1]
	}
	rest := make([]int, k-1)
	for c := range rest {
		rest[c] = c + 1
	}
	n.left, n.right, n.sigma = pick(n.left, rest), pick(n.right, rest), n.sigma[1:]
	n.evaluate()
	n.linearise()
	return dropped
}

// A pair that was known to be just below λ and is seen above it is taken in, unless W is at its largest rank; below λ it is not.
func TestPairsThatCrossed(t *testing.T) {
	for name, c := range map[string]struct {
		maxRank int
		slope   float64 // beside λ
		wanted  bool
	}{"above": {0, 1, true}, "no room": {3, 1, false}, "below": {0, 1e3, false}} {
		p, s := sweepProblem(t, 1)
		(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
		n := newNewton(view.Of(p), s)
		n.goal, n.maxRank = 1, c.maxRank
		n.near = n.withoutLeading()
		n.slope *= c.slope
		n.pairs()
		k, before := n.k(), n.f
		if got := n.regain(); got != c.wanted || got && (n.k() != k+1 || !(n.f < before)) {
			t.Errorf("%s: %v, rank %d to %d, F from %v to %v", name, got, k, n.k(), before, n.f)
		}
	}
}

// A direction that the gradient does not want is not taken in, whatever value is claimed of it: F does not rise.
func TestTakeInKeepsNothingWorse(t *testing.T) {
	p, s := sweepProblem(t, 1)
	(&Local{}).sweepWhileGood(context.Background(), view.Of(p), s, 0)
	n := newNewton(view.Of(p), s)
	n.linearise()
	f, k := n.f, n.k()
	if n.takeIn(axis(n.left), []float64{2 * n.slope}, axis(n.right)) || n.k() != k || n.f > f {
		t.Errorf("rank %d of %d", n.k(), k)
	}
	if n.evaluate(); math.Abs(n.f-f) > 1e-12*f {
		t.Errorf("F went from %v to %v", f, n.f)
	}
}

// Where W has all directions there is nothing outside, and losing none is no loss.
func TestNothingOutside(t *testing.T) {
	p, s := sweepProblem(t, 1)
	n := newNewton(view.Of(p), s)
	n.linearise()
	if p := n.leadingOutside(gcg.NewFactor(n.right.Rows, 2), powerSteps); p.x.K != 0 || len(p.values) != 0 || p.y.K != 0 {
		t.Errorf("%d and %d vectors with values %v", p.x.K, p.y.K, p.values)
	}
	n.goal = 1
	n.lose(gcg.NewFactor(n.right.Rows, 0))
	if n.regain() {
		t.Error("something came back though nothing was lost")
	}
	n.lose(gcg.NewFactor(n.right.Rows, 2)) // zeros, as what W has already leaves
	for range 2 {
		if n.regain() {
			t.Error("zeros came back")
		}
	}
}

// A step to W = 0 along which F does not change, but for rounding, is good.
func TestNearRoundingAtRankZero(t *testing.T) {
	p, s := sweepProblem(t, 1)
	n := newNewton(view.Of(p), s)
	old := *n
	n.left, n.sigma, n.right = gcg.NewFactor(n.left.Rows, 0), nil, gcg.NewFactor(n.right.Rows, 0)
	n.evaluate()
	if !n.nearRounding(&old) || n.k() != 0 {
		t.Errorf("back at rank %d", n.k())
	}
}
