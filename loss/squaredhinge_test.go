package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

func TestSquaredHinge(t *testing.T) {
	rng := testRand(7)
	const n = 70
	y, w := signs(rng, n), weights(rng, n)
	for seed, l := range []*loss.SquaredHinge{
		{Y: y}, {Y: y, Mean: true}, {Y: y, Omega: w}, {Y: y, Omega: w, Mean: true, Group: 7},
	} {
		testLoss(t, l, uint64(seed))
		z := normals(rng, n, 2)
		var want float64
		for i, x := range z {
			v := math.Pow(math.Max(0, 1-y[i]*x), 2) / 2
			if l.Omega != nil {
				v *= w[i]
			}
			if l.Mean {
				v /= n
			}
			want += v
		}
		near(t, "value", l.Eval(0, z, nil), want, 1e-13)
	}
	if got := (&loss.SquaredHinge{Y: y}).Eval(0, []float64{math.NaN()}, nil); !math.IsNaN(got) {
		t.Errorf("value %v at NaN", got)
	}
}

func TestSquaredHingeConjugateDomain(t *testing.T) {
	for _, y := range []float64{1, -1} {
		l := &loss.SquaredHinge{Y: []float64{y}, Omega: []float64{2}}
		for _, c := range [][3]float64{ // y r, s, L*
			{1, 1, -0.75}, {1, 4, 0}, {1, 0, 0}, {-1e-9, 1, math.Inf(1)}, {math.NaN(), 1, math.Inf(1)},
		} {
			if got := l.Conjugate(0, []float64{y * c[0]}, c[1]); got != c[2] {
				t.Errorf("y = %v: conjugate of %v at s = %v is %v, want %v", y, c[0], c[1], got, c[2])
			}
		}
	}
}

func TestSquaredHingeMessages(t *testing.T) {
	testMessages(t, checked{
		"the label of observation 1 is +Inf; it must be 1 or -1": &loss.SquaredHinge{Y: []float64{math.Inf(1)}},
		"the weight of observation 1 is -1; it must be a finite number, 0 or more": &loss.SquaredHinge{Y: []float64{1},
			Omega: []float64{-1}},
		"1 observations do not make rows of Group = 2 outputs": &loss.SquaredHinge{Y: []float64{1}, Group: 2},
	})
}
