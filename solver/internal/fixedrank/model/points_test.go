package model

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Points that take turns in the same memory keep their own: after any values and gradients the point at hand, and that of the
// last gradient, have the residual of their factors.
func TestPointsKeepTheirOwn(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p := testproblem.Classification(t, 300, 12, 7, 0, intercept)
		s := testproblem.FirstStep(t, p)
		g := New(view.Of(p), s).(*genericModel)
		rng := rand.New(rand.NewPCG(1, 1))
		points := []*gcg.Factor{s.W.U}
		for range 5 {
			u := s.W.U.Clone()
			u.Scale(0.5 + rng.Float64())
			points = append(points, u)
		}
		g.Value(points[0], s.W.V)
		for it := range 100 {
			if rng.IntN(3) == 0 {
				g.Gradient()
				g.here.absorber(view.Of(p))
			} else {
				g.Value(points[rng.IntN(len(points))], s.W.V)
			}
			for _, at := range []*modelPoint{g.here, g.base} {
				if at == nil {
					continue
				}
				fresh, err := gcg.NewState(p, at.s.W)
				if err != nil {
					t.Fatal(err)
				}
				for i, r := range fresh.R {
					if math.Abs(r-at.s.R[i]) > 1e-7/300 {
						t.Fatalf("intercept %v, turn %d: the residual of observation %d is %v, not %v",
							intercept, it, i, at.s.R[i], r)
					}
				}
			}
		}
	}
}
