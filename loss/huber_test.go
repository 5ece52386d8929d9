package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

func TestHuber(t *testing.T) {
	rng := testRand(5)
	const n = 70
	y, w := normals(rng, n, 1), weights(rng, n)
	for seed, l := range []*loss.Huber{
		{Y: y, Mu: 1}, {Y: y, Mu: 0.2, Mean: true}, {Y: y, Mu: 5, Omega: w}, {Y: y, Mu: 1e-3, Omega: w, Mean: true, Group: 7},
	} {
		testLoss(t, l, uint64(seed))
		z := normals(rng, n, 2)
		r := make([]float64, n)
		got := l.Eval(0, z, r)
		var want float64
		for i, x := range z {
			c, d := 1.0, math.Abs(x-y[i])
			if l.Omega != nil {
				c *= w[i]
			}
			if l.Mean {
				c /= n
			}
			slope := math.Min(1, d/l.Mu)
			if d <= l.Mu {
				want += c * d * d / (2 * l.Mu)
			} else {
				want += c * (d - l.Mu/2)
			}
			near(t, "r", r[i], c*slope*math.Copysign(1, y[i]-x), 1e-14)
		}
		near(t, "value", got, want, 1e-13)
	}
}

// Far from the target, and at it with a width near the smallest number, nothing overflows.
func TestHuberExtremes(t *testing.T) {
	for _, c := range [][5]float64{ // y, μ, z, value, r
		{0, 1, 1e300, 1e300, -1}, {0, 1e-300, 1, 1, -1}, {3, 5e-324, 3, 0, 0}, {3, 1e300, 4, 0, 0}, {1, 2, 3, 1, -1},
	} {
		l := &loss.Huber{Y: c[:1], Mu: c[1]}
		r := make([]float64, 1)
		if got := l.Eval(0, c[2:3], r); math.Abs(got-c[3]) > 1e-300 || math.Abs(r[0]-c[4]) > 1e-299 {
			t.Errorf("y %v, μ %v, z %v: value %v, r %v", c[0], c[1], c[2], got, r[0])
		}
	}
	if got := (&loss.Huber{Y: []float64{0}, Mu: 1}).Eval(0, []float64{math.NaN()}, nil); !math.IsNaN(got) {
		t.Errorf("value %v at NaN", got)
	}
}

func TestHuberConjugateDomain(t *testing.T) {
	l := &loss.Huber{Y: []float64{3}, Mu: 2}
	for _, c := range [][3]float64{ // r, s, L*
		{-0.5, 1, 1.75}, {-0.5, 2, 4}, {-0.5, 2 + 1e-15, 4}, {-0.5, 2 + 1e-14, math.Inf(1)}, {math.NaN(), 1, math.Inf(1)},
	} {
		if got := l.Conjugate(0, c[:1], c[1]); got != c[2] {
			t.Errorf("conjugate of %v at s = %v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

func TestHuberMessages(t *testing.T) {
	y := []float64{1}
	testMessages(t, checked{
		"the smoothing width Mu is 0; it must be a positive finite number":    &loss.Huber{Y: y},
		"the smoothing width Mu is -1; it must be a positive finite number":   &loss.Huber{Y: y, Mu: -1},
		"the smoothing width Mu is NaN; it must be a positive finite number":  &loss.Huber{Y: y, Mu: math.NaN()},
		"the smoothing width Mu is +Inf; it must be a positive finite number": &loss.Huber{Y: y, Mu: math.Inf(1)},
		"the target of observation 1 is NaN; it must be a finite number":      &loss.Huber{Y: []float64{math.NaN()}, Mu: 1},
		"there are 2 weights for 1 observations; give one each, or none":      &loss.Huber{Y: y, Mu: 1, Omega: []float64{1, 1}},
		"1 observations do not make rows of Group = 3 outputs":                &loss.Huber{Y: y, Mu: 1, Group: 3},
	})
}
