package coordinate_test

import (
	"context"
	"fmt"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
)

// classes are labels that the first features say, with some noise, and weights of samples, some of which are 0.
func (d design) classes(count int) *loss.Softmax {
	l := &loss.Softmax{Classes: count, Mean: true}
	for i := range d.n {
		label := i % count
		if x := d.x[i*d.p]; i%5 > 0 {
			label = min(count-1, int(math.Floor(float64(count)/2+x/(1+math.Abs(x))*float64(count)/2)))
		}
		l.Labels, l.Omega = append(l.Labels, int32(label)), append(l.Omega, float64((i+1)%4)/2)
	}
	return l
}

// Classes are coupled by their probabilities. The certificate closes on every odd design, for entries, for the rows of W, which
// are a feature each, and for its columns, which are a class each; and the optimum is that of Newton steps on the weights of
// atoms.
func TestClosesOnClasses(t *testing.T) {
	turn := 0
	for i, d := range oddDesigns() {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.PositiveL1{}, gauge.Group{ByColumns: true}} {
			turn++
			if i > 5 && turn%4 == 0 { // sweeps over columns of W are slow where features are alike, and not what is chosen
				continue
			}
			sparse, constant := turn%2 == 0, turn/2%2 == 0
			count := 2 + turn%3
			op, err := operator.NewDesign(d.features(t, sparse), count)
			if err != nil {
				t.Fatal(err)
			}
			p := &gcg.Problem{Operator: op, Loss: d.classes(count), Gauge: k, Intercept: constant, Penalty: gauge.Linear{Lambda: 1}}
			name := fmt.Sprintf("%s, %d classes, %s, sparse %v, intercept %v", d.name, count, k.Name(), sparse, constant)
			closes(t, name, p)
			agrees(t, name, p)
			if turn%3 == 0 {
				closes(t, name+", a ridge", ridged(t, p, 0.01))
			}
		}
	}
}

// Two classes are a logistic regression: w = w₁ - w₂ has the same loss, and |w| = |w₁| + |w₂| where one of them is 0 or they are
// of opposite signs, as they are at an optimum.
func TestTwoClassesAreLogistic(t *testing.T) {
	d := gaussian(80, 120, 8)
	two := d.classes(2)
	signs := make([]float64, d.n)
	for i, label := range two.Labels {
		signs[i] = 1 - 2*float64(label)
	}
	for turn := range 4 {
		x := d.features(t, turn%2 == 0)
		var brackets []gcg.Certificate
		for outputs, l := range []gcg.Loss{&loss.Logistic{Y: signs, Omega: two.Omega, Mean: true}, two} {
			op, err := operator.NewDesign(x, outputs+1)
			if err != nil {
				t.Fatal(err)
			}
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.L1{}, Intercept: turn/2 == 0, Penalty: gauge.Linear{Lambda: 0.01}}
			m, improver, _ := solver.For(p)
			if m.Name() != (&coordinate.Descent{}).Name() {
				t.Errorf("%s is chosen", m.Name())
			}
			r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-10, MaxIter: 100, Improver: improver})
			if err != nil || r.Status != solver.Converged {
				t.Fatal(r, err)
			}
			brackets = append(brackets, r.State.Cert)
		}
		const rounding = 1e-13
		if a, b := brackets[0], brackets[1]; a.LowerBound > b.Objective+rounding || b.LowerBound > a.Objective+rounding {
			t.Errorf("logistic %.14g to %.14g, two classes %.14g to %.14g", a.LowerBound, a.Objective, b.LowerBound, b.Objective)
		}
	}
}
