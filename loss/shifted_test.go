package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

// A loss of shifted predictions is that of predictions that are shifted; of a squared loss it is one of other targets.
func TestShifted(t *testing.T) {
	rng := testRand(12)
	const n = 60
	y, w, b := signs(rng, n), weights(rng, n), normals(rng, n, 2)
	targets, rest := normals(rng, n, 1), make([]float64, n)
	for i, x := range targets {
		rest[i] = x - b[i]
	}
	z := normals(rng, n, 2)
	moved, r, want := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range z {
		moved[i] = z[i] + b[i]
	}
	for seed, l := range []loss.Separate{
		&loss.Logistic{Y: y}, &loss.Logistic{Y: y, Omega: w, Mean: true}, &loss.SquaredHinge{Y: y, Omega: w},
		&loss.SmoothedHinge{Y: y, Mu: 0.3}, &loss.Smoothed{Loss: &loss.Hinge{Y: y}, Mu: 0.2, Omega: w}, &loss.Squared{Y: targets},
	} {
		s := &loss.Shifted{Loss: l, By: b}
		testLoss(t, s, uint64(seed))
		near(t, "value", s.Eval(0, z, r), l.Eval(0, moved, want), 1e-15)
		for i := range r {
			near(t, "r", r[i], want[i], 1e-15)
		}
	}
	s, other := &loss.Shifted{Loss: &loss.Squared{Y: targets, Omega: w}, By: b}, &loss.Squared{Y: rest, Omega: w}
	near(t, "squares", s.Eval(0, z, r), other.Eval(0, z, nil), 1e-13)
	near(t, "their conjugate", s.Conjugate(0, r, 0.7), other.Conjugate(0, r, 0.7), 1e-12)
	testMessages(t, checked{
		"there are 1 shifts for 2 predictions": &loss.Shifted{Loss: &loss.Logistic{Y: y[:2]}, By: b[:1]},
		"the shift of observation 1 is NaN; it must be a finite number": &loss.Shifted{Loss: &loss.Logistic{Y: y[:1]},
			By: []float64{math.NaN()}},
	})
}
