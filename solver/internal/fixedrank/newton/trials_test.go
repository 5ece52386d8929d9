package newton

import (
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A step to W = 0 along which F does not change, but for rounding, is good.
func TestNearRoundingAtRankZero(t *testing.T) {
	p, s := testproblem.Completion(t, 1)
	n := New(view.Of(p), s)
	old := *n
	n.left, n.sigma, n.right = gcg.NewFactor(n.left.Rows, 0), nil, gcg.NewFactor(n.right.Rows, 0)
	n.evaluate()
	if !n.nearRounding(&old) || n.K() != 0 {
		t.Errorf("back at rank %d", n.K())
	}
}
