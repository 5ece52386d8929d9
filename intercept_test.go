package gcg_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// At W = 0 the intercept of a squared loss is the mean, and that of a softmax the logarithm of the class frequencies.
func TestIntercept(t *testing.T) {
	const n, classes = 60, 4
	rng := rand.New(rand.NewPCG(1, 1))
	x, y, labels, count := make([]float64, n*3), make([]float64, n), make([]int32, n), make([]float64, classes)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	var mean float64
	for i := range y {
		y[i] = rng.NormFloat64() + 5
		mean += y[i] / n
		labels[i] = int32(min(rng.IntN(8), classes-1))
		count[labels[i]]++
	}
	f, err := operator.DenseFeatures(n, 3, x)
	if err != nil {
		t.Fatal(err)
	}
	one, _ := operator.NewDesign(f, 1)
	many, _ := operator.NewDesign(f, classes)
	s, err := gcg.NewState(&gcg.Problem{Operator: one, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.Intercept[0]-mean) > 1e-12*mean {
		t.Errorf("the intercept is %g, the mean %g", s.Intercept[0], mean)
	}
	s, err = gcg.NewState(&gcg.Problem{Operator: many, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true},
		Gauge:   gauge.Trace{},
		Penalty: gauge.Linear{Lambda: 1}, Intercept: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for c := range classes {
		got, want := s.Intercept[c]-s.Intercept[0], math.Log(count[c]/count[0])
		if math.Abs(got-want) > 1e-9 {
			t.Errorf("intercept %d is %g above the first, want %g", c, got, want)
		}
	}
}

// A loss that may be negative and has no conjugate is bounded by the domain of h, or not at all.
func TestNegativeLoss(t *testing.T) {
	op, _ := operator.NewIdentity(3, 3)
	c := []float64{-2, 0, 0, 0, -1, 0, 0, 0, -.5}
	q := make([]float64, 81)
	for i := range 9 {
		q[i*9+i] = 1
	}
	for _, test := range []struct {
		name    string
		loss    gcg.Loss
		penalty gcg.Penalty
		want    float64
	}{
		{"linear in a ball", &loss.Quadratic{C: c}, gauge.Ball{Zeta: 1}, -2},
		{"quadratic in a ball", &loss.Quadratic{Q: q, C: c}, gauge.Ball{Zeta: 1}, -1.5},
		{"quadratic, penalised", &loss.Quadratic{Q: q, C: c}, gauge.Linear{Lambda: 1}, -.5},
	} {
		p := &gcg.Problem{Operator: op, Loss: test.loss, Gauge: gauge.Trace{}, Penalty: test.penalty}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-4, MaxIter: 500})
		if err != nil {
			t.Fatal(err)
		}
		cert := r.State.Cert
		if cert.LowerBound > test.want+1e-9 || cert.Objective < test.want-1e-9 {
			t.Errorf("%s: the optimum %g is not in [%g, %g]", test.name, test.want, cert.LowerBound, cert.Objective)
		}
		if cert.Objective > test.want+1e-3 {
			t.Errorf("%s: the objective is %g, the optimum %g (%s)", test.name, cert.Objective, test.want, r.Status)
		}
	}
}

// Far from its targets a Huber loss has no second derivatives: the intercept is found all the same, and no bound is above
// the loss at the median, which is that of the absolute value.
func TestInterceptOfFlatLoss(t *testing.T) {
	const n, targets = 41, 3
	rng := rand.New(rand.NewPCG(2, 1))
	f, err := operator.DenseFeatures(n, 1, make([]float64, n))
	if err != nil {
		t.Fatal(err)
	}
	op, _ := operator.NewDesign(f, targets)
	for _, offset := range []float64{0, -300, 1e5} {
		y := make([]float64, n*targets)
		var optimum float64
		for c := range targets {
			column := make([]float64, n)
			for i := range column {
				column[i] = offset*float64(c+1) + 10*rng.NormFloat64()
				y[i*targets+c] = column[i]
			}
			slices.Sort(column)
			for _, x := range column {
				optimum += math.Abs(x - column[n/2])
			}
		}
		for _, mu := range []float64{1e-3, 1e-6} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: mu, Group: targets}, Gauge: gauge.L1{},
				Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6})
			if err != nil {
				t.Fatal(err)
			}
			cert, short := r.State.Cert, mu/2*n*targets
			if cert.Objective > optimum+1e-9 || cert.Objective < optimum-short || cert.LowerBound > optimum+1e-9 ||
				cert.Relative > 1e-6 {
				t.Errorf("offset %g, μ = %g: [%v, %v], the absolute loss at the medians is %v", offset, mu, cert.LowerBound,
					cert.Objective,
					optimum)
			}
		}
	}
}

// An intercept that is not at its minimum certifies nothing.
func TestUnbalancedInterceptHasNoBound(t *testing.T) {
	f, err := operator.DenseFeatures(4, 1, []float64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	op, _ := operator.NewDesign(f, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: []float64{9, 9, 9, 8}, Mu: 0.1}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 50}, Intercept: true}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Z {
		s.Z[i] -= 5
	}
	s.Intercept[0] -= 5
	s.Evaluate(p)
	s.Polar = &gcg.Polar{Bound: 10, Kind: gcg.Proven}
	s.Cert.LowerBound = math.Inf(-1)
	if s.Certify(p); !math.IsInf(s.Cert.LowerBound, -1) {
		t.Errorf("the bound is %v where the intercept is off by 5", s.Cert.LowerBound)
	}
}

// A plainLoss is a loss of which no conjugate is known.
type plainLoss struct{ gcg.Loss }

// What rounding leaves of the balance of an intercept is accounted for: a constant added to the targets and to the intercept
// leaves the bound as it is.
func TestSlightlyUnbalancedIntercept(t *testing.T) {
	const shift = 1e6
	f, err := operator.DenseFeatures(4, 1, []float64{1, 2, 3, 4})
	if err != nil {
		t.Fatal(err)
	}
	op, _ := operator.NewDesign(f, 1)
	for _, conjugate := range []bool{true, false} {
		bound := func(by float64) float64 {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: []float64{by + 9, by - 7, by + 8, by - 10}}, Gauge: gauge.L1{},
				Penalty: gauge.Ball{Zeta: 0.1}, Intercept: true}
			if !conjugate {
				p.Loss = plainLoss{p.Loss}
			}
			s, err := gcg.NewState(p, nil)
			if err != nil {
				t.Fatal(err)
			}
			for i := range s.R {
				s.R[i] = []float64{9, -7, 8, -10}[i] + 1e-9
			}
			s.Polar = &gcg.Polar{Bound: 20, Kind: gcg.Proven}
			s.Cert.LowerBound = math.Inf(-1)
			s.Certify(p)
			return s.Cert.LowerBound
		}
		if here, there := bound(0), bound(shift); !(math.Abs(here-there) < 1e-6) || math.IsInf(here, 0) {
			t.Errorf("conjugate %v: the bound is %.12g, and %.12g with %g added", conjugate, here, there, shift)
		}
	}
}

// A countingLoss counts the rows that it evaluates.
type countingLoss struct {
	*loss.Softmax
	rows atomic.Int64
	sums atomic.Int64
}

func (l *countingLoss) Eval(lo int, z, r []float64) float64 {
	l.rows.Add(int64(len(z) / l.Classes))
	return l.Softmax.Eval(lo, z, r)
}

func (l *countingLoss) OuterFromTo(d, v []float64, lo int, r []float64) {
	l.sums.Add(int64(len(r) / l.Classes))
	l.Softmax.OuterFromTo(d, v, lo, r)
}

// The constants of classes of which some are rare are fitted to rounding in few passes, though adding one to all changes nothing.
// Of many classes few of these are sums of second derivatives.
func TestInterceptOfRareClasses(t *testing.T) {
	fitRareClasses(t, 40, 12, 12)
	fitRareClasses(t, 200, 12, 4)
}

func fitRareClasses(t *testing.T, classes int, most, sums int64) {
	t.Helper()
	const n, features = 4000, 6
	rng := rand.New(rand.NewPCG(4, 1))
	x, labels := make([]float64, n*features), make([]int32, n)
	for i := range labels {
		labels[i] = int32(float64(classes) * math.Pow(rng.Float64(), 4))
		if i < classes {
			labels[i] = int32(i)
		}
		for j := range features {
			x[i*features+j] = rng.NormFloat64() + float64(int(labels[i])%(j+2)) + 20
		}
	}
	f, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	l := &countingLoss{Softmax: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}}
	p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1e-3}, Intercept: true}
	u, v := gcg.NewFactor(features, 3), gcg.NewFactor(classes, 3)
	for _, f := range []*gcg.Factor{u, v} {
		for i := range f.Rows {
			for c := range f.K {
				f.Row(i)[c] = 0.6 * rng.NormFloat64()
			}
		}
	}
	s, err := gcg.NewState(p, &gcg.Iterate{M: features, N: classes, U: u, V: v})
	if err != nil {
		t.Fatal(err)
	}
	balanced := func(part float64) {
		t.Helper()
		sums := make([]float64, classes)
		sizes := make([]float64, classes)
		for i, r := range s.R {
			sums[i%classes] += r
			sizes[i%classes] += math.Abs(r)
		}
		for c, sum := range sums {
			if !(math.Abs(sum) <= part*sizes[c]) {
				t.Errorf("the slope of constant %d is %.1e of its terms", c, sum/sizes[c])
			}
		}
	}
	balanced(1e-13)
	for _, part := range []float64{1e-13, 1e-8} {
		u.Scale(1.1)
		s.W.U = u
		l.rows.Store(0)
		l.sums.Store(0)
		if part < 1e-10 {
			s.Refresh(p)
		} else {
			s.Approach(p, func([]float64) []float64 { return slices.Clone(s.Intercept) })
		}
		balanced(part)
		if passes, dear := l.rows.Load()/n, l.sums.Load()/n; passes > most || dear > sums {
			t.Errorf("%d classes, to %g: %d passes, and second derivatives %d times", classes, part, passes, dear)
		}
	}
}

// Sums of float32 are those of the constants, however many observations there are.
func TestSums32(t *testing.T) {
	const n, classes = 5000, 7
	e := (&gcg.Problem{Operator: mustIdentity(t, n, classes), Loss: &loss.Softmax{Labels: make([]int32, n),
		Classes: classes}}).InterceptMap()
	r, want := make([]float32, n*classes), make([]float64, classes)
	for i := range r {
		r[i] = float32(i%13) / 8
		want[i%classes] += float64(r[i])
	}
	for c, got := range e.Sums32(r) {
		if got != want[c] {
			t.Errorf("the sum of constant %d is %v, want %v", c, got, want[c])
		}
	}
	z := make([]float32, n*classes)
	e.To32(z, 0, want)
	for i, x := range z {
		if x != float32(want[i%classes]) {
			t.Fatalf("observation %d has the constant %v, not %v", i, x, want[i%classes])
		}
	}
}

func mustIdentity(t *testing.T, m, n int) gcg.Operator {
	t.Helper()
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	return op
}
