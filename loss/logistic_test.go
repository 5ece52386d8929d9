package loss_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

func TestLogistic(t *testing.T) {
	rng := testRand(3)
	const n = 1300 // more than two runs
	y, w := signs(rng, n), weights(rng, n)
	for seed, l := range []*loss.Logistic{
		{Y: y}, {Y: y, Mean: true}, {Y: y, Omega: w}, {Y: y, Omega: w, Mean: true, Group: 13}, {Y: y[:1]},
	} {
		testLoss(t, l, uint64(seed))
		z := normals(rng, l.Len(), 3)
		var want float64
		for i, x := range z {
			v := math.Log(1 + math.Exp(-y[i]*x))
			if l.Omega != nil {
				v *= w[i]
			}
			want += v
		}
		if l.Mean {
			want /= n
		}
		near(t, "value", l.Eval(0, z, nil), want, 1e-13)
	}
}

// A binary logistic loss is a multinomial one of the predictions (0, z).
func TestLogisticIsSoftmaxOfTwo(t *testing.T) {
	rng := testRand(4)
	const n = 50
	y, w := signs(rng, n), weights(rng, n)
	binary := &loss.Logistic{Y: y, Omega: w, Mean: true}
	labels := make([]int32, n)
	z, two := normals(rng, n, 4), make([]float64, 2*n)
	for i := range y {
		labels[i] = int32(y[i]+1) / 2
		two[2*i+1] = z[i]
	}
	multi := &loss.Softmax{Labels: labels, Classes: 2, Omega: w, Mean: true}
	r, rr := make([]float64, n), make([]float64, 2*n)
	near(t, "value", binary.Eval(0, z, r), multi.Eval(0, two, rr), 1e-14)
	for i := range r {
		near(t, "r", r[i], rr[2*i+1], 1e-16)
	}
	for _, s := range []float64{0.5, 1, 1.001} {
		near(t, "conjugate", binary.Conjugate(0, r, s), multi.Conjugate(0, rr, s), 1e-13)
	}
}

func TestLogisticOfLargePredictions(t *testing.T) {
	l := &loss.Logistic{Y: []float64{-1}}
	for _, c := range [][4]float64{ // z, value, r, second derivative
		{0, math.Ln2, -0.5, 0.25},
		{1e6, 1e6, -1, 0},
		{1e308, 1e308, -1, 0},
		{-50, math.Exp(-50), -math.Exp(-50), math.Exp(-50)},
		{-1e6, 0, 0, 0},
		{50, 50, -1, math.Exp(-50)},
	} {
		r, h := make([]float64, 1), make([]float64, 1)
		value := l.Eval(0, c[:1], r)
		l.HessTo(h, 0, c[:1], []float64{1})
		for i, got := range []float64{value, r[0], h[0]} {
			if math.Abs(got-c[i+1]) > 1e-15*math.Abs(c[i+1]) {
				t.Errorf("z = %v: %v, want %v", c[0], got, c[i+1])
			}
		}
	}
	if got := l.Eval(0, []float64{math.NaN()}, nil); !math.IsNaN(got) {
		t.Errorf("value %v at NaN", got)
	}
}

func TestLogisticConjugateDomain(t *testing.T) {
	l := &loss.Logistic{Y: []float64{-1}, Omega: []float64{2}}
	for _, c := range [][3]float64{ // r, s, L*
		{-1, 1, -2 * math.Ln2}, {-1, 2, 0}, {-1, 0, 0}, {-1, 2 + 1e-14, math.Inf(1)},
		{1e-15, 1, 0}, {1e-14, 1, math.Inf(1)}, {math.NaN(), 1, math.Inf(1)},
	} {
		if got := l.Conjugate(0, c[:1], c[1]); got != c[2] && !(math.Abs(got-c[2]) < 1e-15) {
			t.Errorf("conjugate of %v at s = %v is %v, want %v", c[0], c[1], got, c[2])
		}
	}
}

func TestLogisticMessages(t *testing.T) {
	testMessages(t, checked{
		"there are no observations":                             &loss.Logistic{},
		"the label of observation 2 is 0; it must be 1 or -1":   &loss.Logistic{Y: []float64{1, 0}},
		"the label of observation 1 is NaN; it must be 1 or -1": &loss.Logistic{Y: []float64{math.NaN()}},
		"the weight of observation 1 is -1; it must be a finite number, 0 or more": &loss.Logistic{Y: []float64{1},
			Omega: []float64{-1}},
		"1 observations do not make rows of Group = 2 outputs": &loss.Logistic{Y: []float64{1}, Group: 2},
	})
}
