package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

var _ gcg.LeastSquares = (*loss.Squared)(nil)

type checked = map[string]interface{ Check() error }

func TestSquared(t *testing.T) {
	rng := testRand(1)
	y, w := normals(rng, 60, 1), weights(rng, 60)
	for seed, l := range []*loss.Squared{
		{Y: y}, {Y: y, Mean: true}, {Y: y, Omega: w}, {Y: y, Omega: w, Mean: true, Group: 4},
	} {
		testLoss(t, l, uint64(seed))
		z := normals(rng, 60, 1)
		var want float64
		for i := range z {
			v := (z[i] - y[i]) * (z[i] - y[i]) / 2
			if l.Omega != nil {
				v *= w[i]
			}
			want += v
		}
		if l.Mean {
			want /= 60
		}
		near(t, "value", l.Eval(0, z, nil), want, 1e-13)
	}
	if got := (&loss.Squared{Y: y, Group: 4}).Stride(); got != 4 {
		t.Errorf("stride %d of rows of 4", got)
	}
}

func TestSquaredAsksForNothingWhereWeightIsZero(t *testing.T) {
	l := &loss.Squared{Y: []float64{1, 2}, Omega: []float64{1, 0}}
	if got := l.Conjugate(0, []float64{0.5, 0.1}, 1); !math.IsInf(got, 1) {
		t.Errorf("conjugate %v of a point that no prediction has as derivative", got)
	}
	if got := l.Conjugate(0, []float64{0.5, 0}, 1); got != 0.125-0.5 {
		t.Errorf("conjugate %v", got)
	}
}

func TestSquaredMessages(t *testing.T) {
	y := []float64{1, 2}
	testMessages(t, checked{
		"there are no observations":                                                &loss.Squared{},
		"the target of observation 2 is NaN; it must be a finite number":           &loss.Squared{Y: []float64{0, math.NaN()}},
		"the target of observation 1 is -Inf; it must be a finite number":          &loss.Squared{Y: []float64{math.Inf(-1)}},
		"there are 1 weights for 2 observations; give one each, or none":           &loss.Squared{Y: y, Omega: y[:1]},
		"the weight of observation 2 is -1; it must be a finite number, 0 or more": &loss.Squared{Y: y, Omega: []float64{0, -1}},
		"the weight of observation 1 is NaN; it must be a finite number, 0 or more": &loss.Squared{Y: y,
			Omega: []float64{math.NaN(), 1}},
		"the weight of observation 1 is +Inf; it must be a finite number, 0 or more": &loss.Squared{Y: y,
			Omega: []float64{math.Inf(1), 1}},
		"every weight is 0; at least one must be positive":             &loss.Squared{Y: y, Omega: []float64{0, 0}},
		"2 observations do not make rows of Group = 3 outputs":         &loss.Squared{Y: y, Group: 3},
		"Group is -1; it must be the number of outputs of a row, or 0": &loss.Squared{Y: y, Group: -1},
	})
}
