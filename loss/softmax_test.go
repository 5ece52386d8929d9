package loss_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/loss"
)

func labels(rng *rand.Rand, n, classes int) []int32 {
	y := make([]int32, n)
	for i := range y {
		y[i] = int32(rng.IntN(classes))
	}
	return y
}

func TestSoftmax(t *testing.T) {
	rng := testRand(2)
	for seed, size := range [][2]int{{40, 2}, {40, 5}, {300, 3}, {7, 70}, {3, 1100}, {1, 2}} {
		n, classes := size[0], size[1]
		y := labels(rng, n, classes)
		for _, l := range []*loss.Softmax{
			{Labels: y, Classes: classes},
			{Labels: y, Classes: classes, Mean: true},
			{Labels: y, Classes: classes, Omega: weights(rng, n), Mean: true},
		} {
			testLoss(t, l, uint64(seed))
			testNaiveSoftmax(t, l, rng)
		}
	}
}

// testNaiveSoftmax compares with the formulas as they are written.
func testNaiveSoftmax(t *testing.T, l *loss.Softmax, rng *rand.Rand) {
	t.Helper()
	z, c := normals(rng, l.Len(), 2), 1.0
	r := make([]float64, l.Len())
	got := l.Eval(0, z, r)
	if l.Mean {
		c = 1 / float64(len(l.Labels))
	}
	var want float64
	for i, y := range l.Labels {
		w, row := c, z[i*l.Classes:(i+1)*l.Classes]
		if l.Omega != nil {
			w *= l.Omega[i]
		}
		var sum float64
		for _, x := range row {
			sum += math.Exp(x)
		}
		want += w * (math.Log(sum) - row[y])
		for k, x := range row {
			p := -w * math.Exp(x) / sum
			if k == int(y) {
				p += w
			}
			near(t, "r", r[i*l.Classes+k], p, 1e-15)
		}
	}
	near(t, "value", got, want, 1e-13)
}

func TestSoftmaxOfLargePredictions(t *testing.T) {
	l := &loss.Softmax{Labels: []int32{0}, Classes: 3}
	for _, c := range []struct {
		z       []float64
		value   float64
		r       [3]float64
		hessian float64 // of a step along the label
	}{
		{[]float64{1000, 1000, 1000}, math.Log(3), [3]float64{2. / 3, -1. / 3, -1. / 3}, 2. / 9},
		{[]float64{-1e6, 0, -1e6}, 1e6, [3]float64{1, -1, 0}, 0},
		{[]float64{1e300, -1e300, 0}, 0, [3]float64{0, 0, 0}, 0},
		{[]float64{1050, 1000, 0}, math.Exp(-50), [3]float64{math.Exp(-50), -math.Exp(-50), 0}, math.Exp(-50)},
		{[]float64{0, math.Inf(-1), 0}, math.Ln2, [3]float64{0.5, 0, -0.5}, 0.25},
	} {
		r, h := make([]float64, 3), make([]float64, 3)
		value := l.Eval(0, c.z, r)
		// Relative, so that a loss of e⁻⁵⁰ is not lost against predictions of a thousand.
		if math.Abs(value-c.value) > 1e-15*c.value {
			t.Errorf("z %v: value %v, want %v", c.z, value, c.value)
		}
		l.HessTo(h, 0, c.z, []float64{1, 0, 0})
		near(t, "product", h[0], c.hessian, 1e-15)
		for k, want := range c.r {
			if math.Abs(r[k]-want) > 1e-15*math.Abs(want) {
				t.Errorf("z %v: r %v, want %v", c.z, r, c.r)
			}
		}
	}
}

func TestSoftmaxSaysNaN(t *testing.T) {
	l := &loss.Softmax{Labels: []int32{0, 1}, Classes: 2}
	for i := range 4 {
		z := []float64{1, 2, 3, 4}
		z[i] = math.NaN()
		if got := l.Eval(0, z, nil); !math.IsNaN(got) {
			t.Errorf("z %v: value %v", z, got)
		}
	}
}

// The conjugate's domain is a product of simplices: rounding is forgiven, anything else is not.
func TestSoftmaxConjugateDomain(t *testing.T) {
	l := &loss.Softmax{Labels: []int32{1}, Classes: 3}
	for _, c := range []struct {
		r    []float64
		s    float64
		want float64
	}{
		{[]float64{0, 0, 0}, 1, 0},
		{[]float64{-0.5, 0.5, 0}, 1, -math.Ln2},
		{[]float64{-0.5, 0.5, 0}, 2, 0},                       // the vertex of another class
		{[]float64{-0.5, 0.5, 0}, 2 + 1e-14, math.Inf(1)},     // behind it
		{[]float64{-0.5, 0.5, 1e-16}, 1, -math.Ln2},           // rounding
		{[]float64{-0.5, 0.5 - 1e-14, 1e-14}, 1, math.Inf(1)}, // too much for rounding
		{[]float64{-0.5, 0.6, 0}, 1, math.Inf(1)},             // the sum is not 1
		{[]float64{math.NaN(), 0.5, 0}, 1, math.Inf(1)},
		{[]float64{-0.5, math.NaN(), 0}, 1, math.Inf(1)},
	} {
		if got := l.Conjugate(0, c.r, c.s); got != c.want && !(math.Abs(got-c.want) < 1e-11) {
			t.Errorf("conjugate of %v at s = %v is %v, want %v", c.r, c.s, got, c.want)
		}
	}
	l.Omega = []float64{0}
	if got := l.Conjugate(0, []float64{-0.5, 0.5, 0}, 1); !math.IsInf(got, 1) {
		t.Errorf("conjugate %v at a row of weight 0", got)
	}
}

func TestSoftmaxRefusesCutRows(t *testing.T) {
	l := &loss.Softmax{Labels: []int32{1, 0}, Classes: 3}
	for _, cut := range []func(){
		func() { l.Eval(0, make([]float64, 4), nil) },
		func() { l.Eval(1, make([]float64, 3), nil) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("a block that cuts a row was evaluated")
				}
			}()
			cut()
		}()
	}
}

func TestSoftmaxMessages(t *testing.T) {
	testMessages(t, checked{
		"Classes is 1; a classification needs at least 2 classes": &loss.Softmax{Labels: []int32{0}, Classes: 1},
		"Classes is 0; a classification needs at least 2 classes": &loss.Softmax{},
		"there are no observations":                               &loss.Softmax{Classes: 2},
		"the label of observation 3 is 4; it must be in 0 … 3": &loss.Softmax{Labels: []int32{0, 1, 4},
			Classes: 4},
		"the label of observation 1 is -1; it must be in 0 … 3": &loss.Softmax{Labels: []int32{-1, 1, 4},
			Classes: 4},
		"there are 1 weights for 2 observations; give one each, or none": &loss.Softmax{Labels: []int32{0, 1}, Classes: 4,
			Omega: []float64{1}},
		"the weight of observation 2 is -0.5; it must be a finite number, 0 or more": &loss.Softmax{Labels: []int32{0, 1}, Classes: 4,
			Omega: []float64{1, -0.5}},
	})
}

// diag(d) - v vᵀ is what unit vectors of each class give, of rows without a weight too.
func TestSoftmaxOuter(t *testing.T) {
	const rows, classes = 7, 5
	rng := rand.New(rand.NewPCG(9, 9))
	l := &loss.Softmax{Labels: make([]int32, rows), Classes: classes, Omega: make([]float64, rows), Mean: true}
	z, r := make([]float64, rows*classes), make([]float64, rows*classes)
	for i := range rows {
		l.Labels[i], l.Omega[i] = int32(rng.IntN(classes)), float64(i%3)
	}
	for i := range z {
		z[i] = 2 * rng.NormFloat64()
	}
	l.Eval(0, z, r)
	d, v := make([]float64, len(z)), make([]float64, len(z))
	l.OuterFromTo(d[:3*classes], v[:3*classes], 0, r[:3*classes])
	l.OuterFromTo(d[3*classes:], v[3*classes:], 3*classes, r[3*classes:])
	for c := range classes {
		e := make([]float64, len(z))
		for i := c; i < len(e); i += classes {
			e[i] = 1
		}
		l.HessTo(e, 0, z, e)
		for i, want := range e {
			got := -v[i] * v[i-i%classes+c]
			if i%classes == c {
				got += d[i]
			}
			if math.Abs(got-want) > 1e-15 {
				t.Errorf("row %d, classes %d and %d: %v, not %v", i/classes, c, i%classes, got, want)
			}
		}
	}
}
