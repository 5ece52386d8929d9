package solver

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// What an improver did is kept by the rule: F alone, or F beside the best so far; rounding aside.
func TestAcceptance(t *testing.T) {
	const rounding = 1e-9
	for _, c := range []struct {
		rule                     Acceptance
		before, after, bestSoFar float64
		kept                     bool
	}{
		{Descent, 10, 9, 8, true}, {Descent, 10, 10 + rounding/2, 8, true}, {Descent, 10, 10 + 2*rounding, 12, false},
		{Monotone, 10, 9, 8, true}, {Monotone, 10, 10 + rounding/2, 8, true}, {Monotone, 10, 11, 12, false},
		{Relaxed, 10, 11, 12, true}, {Relaxed, 10, 12.5, 12, false}, {Relaxed, 10, 11, 8, false}, {Relaxed, 10, 9, 8, true},
		{Descent, 10, math.NaN(), 12, false}, {Monotone, 10, math.NaN(), 12, false}, {Relaxed, 10, math.NaN(), 12, false},
	} {
		o := &Options{Accept: c.rule}
		if o.accepts(c.before, c.after, rounding, c.bestSoFar) != c.kept {
			t.Errorf("%+v", c)
		}
	}
}

// Under Monotone no iterate is above the last one, whatever the step rule: an open-loop step that raises F is taken back, and the
// run goes on to the same tolerance. Under Descent such steps stand.
func TestMonotone(t *testing.T) {
	const n = 12
	op, err := operator.NewIdentity(n, 1)
	if err != nil {
		t.Fatal(err)
	}
	y := make([]float64, n)
	for i := range y {
		y[i] = math.Sin(float64(3 * i))
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Ball{Zeta: 2}}
	for _, improver := range []Improver{nil, farAway{1}} {
		rises := map[Acceptance]int{}
		for _, rule := range []Acceptance{Descent, Monotone} {
			last, iterates := math.Inf(1), 0
			opt := Options{Tol: 1e-2, MaxIter: 3000, Accept: rule, Improver: improver, Event: func(e Event) {
				if f := e.State.Cert.Objective; f > last*(1+1e-12) {
					rises[rule]++
				}
				last, iterates = e.State.Cert.Objective, iterates+1
			}}
			r, err := Run(context.Background(), p, &conditional.GCG{Rule: conditional.OpenLoop}, opt)
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != Converged {
				t.Errorf("rule %d: %s after %d iterates, %+v", rule, r.Status, iterates, r.State.Cert)
			}
		}
		if rises[Descent] == 0 || rises[Monotone] != 0 {
			t.Errorf("F rose in %d steps, and in %d under Monotone", rises[Descent], rises[Monotone])
		}
	}
}

// farAway is an improver that leaves W and the intercept far from where they were.
type farAway struct{ by float64 }

func (farAway) Name() string { return "far away" }

func (farAway) Init(*gcg.Problem, gcg.Settings) error { return nil }

func (i farAway) Improve(_ context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	s.W.Scale(i.by)
	s.Rho *= i.by
	s.Refresh(p)
	return did, nil
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
	plain, err := Run(context.Background(), p, &conditional.GCG{}, Options{MaxIter: 3, Improver: farAway{1}})
	if err != nil {
		t.Fatal(err)
	}
	for _, by := range []float64{1e10, 1e150, 1e180, 1e290} {
		r, err := Run(context.Background(), p, &conditional.GCG{}, Options{MaxIter: 3, Improver: farAway{by}})
		if err != nil {
			t.Fatal(err)
		}
		if f, want := r.State.Cert.Objective, plain.State.Cert.Objective; math.Abs(f-want) > 1e-9*want ||
			r.State.Cert.LowerBound > f {
			t.Errorf("by %g: %+v, and %+v where it stays", by, r.State.Cert, plain.State.Cert)
		}
	}
}
