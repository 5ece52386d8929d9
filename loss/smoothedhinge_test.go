package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

func TestSmoothedHinge(t *testing.T) {
	rng := testRand(6)
	const n = 70
	y, w := signs(rng, n), weights(rng, n)
	for seed, l := range []*loss.SmoothedHinge{
		{Y: y, Mu: 1}, {Y: y, Mu: 0.2, Mean: true}, {Y: y, Mu: 5, Omega: w}, {Y: y, Mu: 1e-3, Omega: w, Mean: true, Group: 7},
	} {
		testLoss(t, l, uint64(seed))
		z := normals(rng, n, 2)
		r := make([]float64, n)
		got := l.Eval(0, z, r)
		var want float64
		for i, x := range z {
			c, v := 1.0, 1-y[i]*x
			if l.Omega != nil {
				c *= w[i]
			}
			if l.Mean {
				c /= n
			}
			switch { // the three pieces as they are drawn
			case v <= 0:
			case v < l.Mu:
				want += c * v * v / (2 * l.Mu)
			default:
				want += c * (v - l.Mu/2)
			}
			near(t, "r", r[i], c*y[i]*math.Max(0, math.Min(1, v/l.Mu)), 1e-14)
		}
		near(t, "value", got, want, 1e-13)
	}
}

func TestSmoothedHingeConjugateDomain(t *testing.T) {
	for _, y := range []float64{1, -1} {
		l := &loss.SmoothedHinge{Y: []float64{y}, Mu: 2}
		for _, c := range [][3]float64{ // t, s, L*
			{0.5, 1, -0.25}, {0.5, 2, 0}, {0.5, 0, 0}, {0.5, 2 + 1e-15, 0}, {0.5, 2 + 1e-14, math.Inf(1)}, {-0.5, 1,
				math.Inf(1)}, {math.NaN(), 1, math.Inf(1)},
		} {
			if got := l.Conjugate(0, []float64{y * c[0]}, c[1]); got != c[2] {
				t.Errorf("y = %v: conjugate at t = %v, s = %v is %v, want %v", y, c[0], c[1], got, c[2])
			}
		}
	}
}

func TestSmoothedHingeMessages(t *testing.T) {
	testMessages(t, checked{
		"the label of observation 1 is 2; it must be 1 or -1":              &loss.SmoothedHinge{Y: []float64{2}, Mu: 1},
		"the smoothing width Mu is 0; it must be a positive finite number": &loss.SmoothedHinge{Y: []float64{1}},
		"every weight is 0; at least one must be positive": &loss.SmoothedHinge{Y: []float64{1}, Mu: 1,
			Omega: []float64{0}},
		"1 observations do not make rows of Group = 3 outputs": &loss.SmoothedHinge{Y: []float64{1}, Mu: 1, Group: 3},
	})
}
