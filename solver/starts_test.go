package solver_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// A start from which F would have far to come down serves less than none: classes are certain there, and wrong, and second
// derivatives vanish.
func TestStartsAboveZeroAreLeft(t *testing.T) {
	for _, intercept := range []bool{false, true} {
		p := testproblem.Classification(t, 100, 9, 7, 2, intercept)
		p.Penalty = gauge.Linear{Lambda: 1e-3}
		rng := rand.New(rand.NewPCG(1, 1))
		u, v := gcg.NewFactor(9, 5), gcg.NewFactor(7, 5)
		for _, f := range []*gcg.Factor{u, v} {
			for i := range f.Rows {
				for c := range f.K {
					f.Row(i)[c] = 100 * rng.NormFloat64()
				}
			}
		}
		start := &gcg.Iterate{M: 9, N: 7, U: u, V: v}
		r, first := runFrom(t, p, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}, MaxIter: 8, Start: start})
		if r.Status != solver.Converged || !(first <= math.Log(7)+1e-12) {
			t.Errorf("intercept %v: %s at a gap of %g after %d iterations from F = %v",
				intercept, r.Status, r.State.Cert.Relative, r.Iter, first)
		}
	}
}

// A solution is a start, with the intercept that it has.
func TestStartsWithTheirIntercept(t *testing.T) {
	const rows, features, classes = 60, 3, 4
	rng := rand.New(rand.NewPCG(2, 2))
	x, labels := make([]float64, rows*features), make([]int32, rows)
	for i := range x {
		x[i] = rng.NormFloat64() + 1e4
	}
	for i := range labels {
		labels[i] = int32(i % classes)
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, classes)
	if err != nil {
		t.Fatal(err)
	}
	l := &loss.Softmax{Labels: labels, Classes: classes}
	p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 0.1}, Intercept: true}
	r, _ := runFrom(t, p, solver.Options{Tol: 1e-6, Improver: &fixedrank.Local{}})
	opt := solver.Options{Tol: 1e-5, Improver: &fixedrank.Local{}, Start: r.State.W, Intercept: r.State.Intercept}
	again, first := runFrom(t, p, opt)
	if r.Status != solver.Converged || again.Iter != 0 || math.Abs(first/r.State.Objective(p)-1) > 1e-9 {
		t.Errorf("%s at F = %v; again from %v in %d iterations", r.Status, r.State.Objective(p), first, again.Iter)
	}
}

// runFrom is a run with F at its start.
func runFrom(t *testing.T, p *gcg.Problem, opt solver.Options) (r *solver.Result, first float64) {
	t.Helper()
	first = math.NaN()
	opt.Event = func(e solver.Event) {
		if math.IsNaN(first) {
			first = e.State.Cert.Objective
		}
	}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r, first
}
