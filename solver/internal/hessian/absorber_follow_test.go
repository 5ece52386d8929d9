package hessian_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// The intercept follows predictions that moved a little, but for an error of second order.
func TestInterceptFollows(t *testing.T) {
	p := testproblem.Classification(t, 300, 12, 7, 0, true)
	s := testproblem.FirstStep(t, p)
	free, _ := hessian.NewAbsorber(view.Of(p), s, nil)
	var last float64
	for _, by := range []float64{0.1, 0.01} {
		after, err := gcg.NewState(p, s.W)
		if err != nil {
			t.Fatal(err)
		}
		after.W.Scale(1 + by)
		after.Refresh(p)
		z := make([]float64, len(after.Z))
		p.Apply(z, after.W)
		got := free.Follow(z)
		var off, moved float64
		for c, b := range got { // constants but for one that is in all
			off = math.Max(off, math.Abs(b-got[0]-after.Intercept[c]+after.Intercept[0]))
			moved = math.Max(moved, math.Abs(s.Intercept[c]-s.Intercept[0]-after.Intercept[c]+after.Intercept[0]))
		}
		if off > 0.3*moved || last > 0 && off > 0.03*last {
			t.Errorf("%v on: the intercept moves by %v, and is off by %v; it was %v", by, moved, off, last)
		}
		last = off
	}
}
