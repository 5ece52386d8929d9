package conditional_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/dense"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// Where W has full rank and the loss hardly any second derivatives, Newton's method in the spaces of W may lower nothing,
// and no atom lies outside them: the run goes on with atoms within.
func TestStuckAtFullRank(t *testing.T) {
	const n, d, tasks = 240, 6, 12
	rng := rand.New(rand.NewPCG(8, 8))
	x, y, signs, task := make([]float64, n*d), make([]float64, n), make([]float64, n), make([]int32, n)
	truth := make([]float64, d*tasks)
	for i := range truth {
		truth[i] = rng.NormFloat64()
	}
	for i := range n {
		task[i] = int32(i % tasks)
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
			y[i] += x[i*d+j] * truth[j*tasks+i%tasks]
		}
		y[i] += 2 + 0.5*rng.NormFloat64()
		signs[i] = 1
		if y[i] < 2 {
			signs[i] = -1
		}
	}
	f, err := operator.DenseFeatures(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewTasks(f, task, tasks)
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range []gcg.Loss{&loss.Huber{Y: y, Mu: 0.1, Mean: true}, &loss.SmoothedHinge{Y: signs, Mu: 0.1, Mean: true}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 0.004}, gauge.Square{Lambda: 0.002}, gauge.Ball{Zeta: 5}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: pen}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true},
				solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, MaxIter: 300})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%T, %T: %s after %d iterations at a gap of %g", l, pen, r.Status, r.Iter, r.State.Cert.Relative)
			}
			start := &gcg.Iterate{M: d, N: tasks, U: gcg.NewFactor(d, d), V: gcg.NewFactor(tasks, d)}
			for j := range d {
				start.U.Row(j)[j], start.V.Row(j)[j] = 0.5, 0.5
			}
			var first float64
			r = testrun.Must(t, p, &conditional.GCG{OutsideW: true},
				solver.Options{Tol: 0.01, Improver: idle{}, MaxIter: 12, Start: start, Event: func(e solver.Event) {
					if e.Iter == 0 {
						first = e.State.Cert.Objective
					}
				}})
			if f := r.State.Cert.Objective; r.Status == solver.Stalled || !(f < 0.9*first) {
				t.Errorf("%T, %T, an improver that lowers nothing: %s after %d iterations, F from %g to %g", l, pen,
					r.Status, r.Iter,
					first, f)
			}
		}
	}
}

// idle is an improver that finds nothing better than W, which it evaluates anew.
type idle struct{}

func (idle) Name() string { return "idle" }

func (idle) Init(*gcg.Problem, gcg.Settings) error { return nil }

func (idle) Improve(_ context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	s.Refresh(p)
	return did, nil
}

// A constant feature beside the intercept attains and curves nothing but rounding: its part of the first direction of atoms is
// no more.
func TestStuckAtConstantFeature(t *testing.T) {
	const n, d = 14, 6
	rng := rand.New(rand.NewPCG(9, 1))
	x, y := make([]float64, n*d), make([]float64, n)
	for i := range n {
		for j := range d {
			x[i*d+j] = rng.NormFloat64()
		}
		x[i*d] = 1
		y[i] = 5 + x[i*d+1] + rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(n, d, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, 1)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range []gcg.Gauge{gauge.L1{}, gauge.PositiveL1{}, gauge.Group{}} {
		for _, pen := range []gcg.Penalty{gauge.Linear{Lambda: 0.1}, gauge.Square{Lambda: 0.5}, gauge.Ball{Zeta: 0.4}} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: k, Penalty: pen, Intercept: true}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{},
				solver.Options{Tol: 1e-6, Improver: &solver.Corrective{}, MaxIter: 100})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, %T: %s after %d iterations at a gap of %g", k.Name(), pen, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}

// Where a loss is straight for all observations but a few, second derivatives in the plane of a line search are singular, and
// steps along them of any length.
func TestStuckWhereStraight(t *testing.T) {
	op, y, signs, _ := testproblem.Regression(t, 20, 38, 2)
	for i := range y {
		y[i] *= 100
	}
	for _, l := range []gcg.Loss{&loss.Huber{Y: y, Mu: 1, Mean: true, Group: 2},
		&loss.SmoothedHinge{Y: signs, Mu: 0.1, Mean: true, Group: 2}} {
		for _, k := range []gcg.Gauge{gauge.Lp{P: 2}, gauge.SchattenP{P: 3}, gauge.Lp{P: 1.5}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 0.2}}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{},
				solver.Options{Tol: 1e-2, Improver: dense.Tighten{}, MaxIter: 4000})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%T, %s: %s after %d iterations at a gap of %g", l, k.Name(), r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}
