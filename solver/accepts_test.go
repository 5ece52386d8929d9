package solver

import (
	"math"
	"testing"
)

// What an improver did is kept by the rule: F alone, F and the gauge, or F beside the best so far; rounding aside.
func TestAcceptance(t *testing.T) {
	const slack = 1e-9
	for _, c := range []struct {
		rule                                          Acceptance
		before, after, rhoBefore, rhoAfter, bestSoFar float64
		kept                                          bool
	}{
		{Descent, 10, 9, 1, 2, 8, true}, {Descent, 10, 10 + slack/2, 1, 1, 8, true}, {Descent, 10, 10 + 2*slack, 1, 0.5, 12, false},
		{Monotone, 10, 9, 1, 1, 8, true}, {Monotone, 10, 9, 1, 1 + 1e-14, 8, true}, {Monotone, 10, 9, 1, 1.001, 8, false},
		{Monotone, 10, 10 + slack/2, 1, 0.5, 8, true}, {Monotone, 10, 11, 1, 0.5, 12, false},
		{Relaxed, 10, 11, 1, 2, 12, true}, {Relaxed, 10, 12.5, 1, 1, 12, false}, {Relaxed, 10, 11, 1, 1, 8, false}, {Relaxed, 10, 9, 1, 2, 8, true},
		{Descent, 10, math.NaN(), 1, 1, 12, false}, {Monotone, 10, math.NaN(), 1, 1, 12, false}, {Relaxed, 10, math.NaN(), 1, 1, 12, false},
	} {
		o := &Options{Accept: c.rule}
		if o.accepts(c.before, c.after, slack, c.rhoBefore, c.rhoAfter, c.bestSoFar) != c.kept {
			t.Errorf("%+v", c)
		}
	}
}
