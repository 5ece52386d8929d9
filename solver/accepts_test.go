package solver

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
)

// What an improver did is kept by the rule: F alone, F and the gauge, or F beside the best so far; rounding aside.
func TestAcceptance(t *testing.T) {
	const rounding = 1e-9
	for _, c := range []struct {
		rule                                          Acceptance
		before, after, rhoBefore, rhoAfter, bestSoFar float64
		kept                                          bool
	}{
		{Descent, 10, 9, 1, 2, 8, true}, {Descent, 10, 10 + rounding/2, 1, 1, 8, true},
		{Descent, 10, 10 + 2*rounding, 1, 0.5, 12, false},
		{Monotone, 10, 9, 1, 1, 8, true}, {Monotone, 10, 9, 1, 1 + 1e-14, 8, true}, {Monotone, 10, 9, 1, 1.001, 8, false},
		{Monotone, 10, 10 + rounding/2, 1, 0.5, 8, true}, {Monotone, 10, 11, 1, 0.5, 12, false},
		{Relaxed, 10, 11, 1, 2, 12, true}, {Relaxed, 10, 12.5, 1, 1, 12, false}, {Relaxed, 10, 11, 1, 1, 8, false},
		{Relaxed, 10, 9, 1, 2, 8, true},
		{Descent, 10, math.NaN(), 1, 1, 12, false}, {Monotone, 10, math.NaN(), 1, 1, 12, false},
		{Relaxed, 10, math.NaN(), 1, 1, 12, false},
	} {
		o := &Options{Accept: c.rule}
		if o.accepts(c.before, c.after, rounding, c.rhoBefore, c.rhoAfter, c.bestSoFar) != c.kept {
			t.Errorf("%+v", c)
		}
	}
}

// farAway is an improver that leaves W and the intercept far from where they were.
type farAway struct{ by float64 }

func (farAway) Name() string { return "far away" }

func (i farAway) Improve(_ context.Context, p *gcg.Problem, s *gcg.State) error {
	s.W.Scale(i.by)
	s.Rho *= i.by
	s.Refresh(p)
	return nil
}

// A run that undoes an improvement is where it was before, however far that went: the constants of a Huber loss, which is
// straight there, would not come back from where its mean predictions were.
func TestRefusedImprovementIsUndone(t *testing.T) {
	const n = 8
	op, err := operator.NewIdentity(1, n)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = float64(i * i)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 0.1}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.1},
		Intercept: true}
	plain, err := Run(context.Background(), p, &GCG{}, Options{MaxIter: 3, Improver: farAway{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []float64{1e10, 1e150, 1e180, 1e290} {
		r, err := Run(context.Background(), p, &GCG{}, Options{MaxIter: 3, Improver: farAway{by}})
		if err != nil {
			t.Fatal(err)
		}
		if f, want := r.State.Cert.Objective, plain.State.Cert.Objective; math.Abs(f-want) > 1e-9*want || r.State.Cert.LowerBound > f {
			t.Errorf("by %g: %+v, and %+v where it stays", by, r.State.Cert, plain.State.Cert)
		}
	}
}
