package gcg_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
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
	s, err := gcg.NewState(&gcg.Problem{Operator: one, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(s.Intercept[0]-mean) > 1e-12*mean {
		t.Errorf("the intercept is %g, the mean %g", s.Intercept[0], mean)
	}
	s, err = gcg.NewState(&gcg.Problem{Operator: many, Loss: &loss.Softmax{Labels: labels, Classes: classes, Mean: true}, Gauge: gauge.Trace{},
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
		r, err := solver.Run(context.Background(), p, &solver.GCG{}, solver.Options{Tol: 1e-4, MaxIter: 500})
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
