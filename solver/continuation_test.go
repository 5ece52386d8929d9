package solver_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Every stage ends at an ε_l-solution of its own λ_l, and the last one at the certified optimum.
func TestContinuation(t *testing.T) {
	op, y, _, labels := testproblem.Regression(t, 60, 25, 3)
	problems := map[string]*gcg.Problem{
		"lasso":       {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Intercept: true},
		"group lasso": {Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Group{}},
		"softmax":     {Operator: op, Loss: &loss.Softmax{Labels: labels, Classes: 3, Mean: true}, Gauge: gauge.Trace{}},
	}
	for name, p := range problems {
		q, lambda := testrun.AtFraction(t, p, 0.05)
		const tol = 1e-5
		want := testrun.Must(t, q, &support.AtomDescent{}, solver.Options{Tol: tol, MaxIter: 1000})
		var lambdas []float64
		c := solver.Continuation{Stage: func(l, eps float64, r *solver.Result) {
			lambdas = append(lambdas, l)
			if beta := (1 - 0.5493) / (1 + 0.5493); l > lambda && math.Abs(eps/l-beta) > 1e-4 {
				t.Errorf("%s: ε/λ is %g", name, eps/l) // α = 0.05^(1/5) = 0.5493
			}
			if eps > 0 && (r.Solution.Epsilon() > eps*(1+1e-9) || r.Status != solver.Solved && r.Status != solver.Converged) {
				t.Errorf("%s at λ = %g: %s, an ε-solution for %g, not %g", name, l, r.Status, r.Solution.Epsilon(), eps)
			}
		}}
		r, err := c.Run(context.Background(), q, solver.Options{Tol: tol, MaxIter: 1000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged ||
			math.Abs(r.State.Cert.Objective-want.State.Cert.Objective) > 2*tol*want.State.Cert.Objective {
			t.Errorf("%s: %s with %.9g, want %.9g", name, r.Status, r.State.Cert.Objective, want.State.Cert.Objective)
		}
		if len(lambdas) != 5 || lambdas[4] != lambda {
			t.Errorf("%s: stages at %v", name, lambdas)
		}
		t.Logf("%s: %d iterations, without continuation %d", name, r.Iter, want.Iter)
	}
}

// The limit of iterations holds for all stages together.
func TestContinuationLimit(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 25, 3)
	p, _ := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}}, 0.01)
	const tol = 1e-9
	whole, err := solver.Continuation{}.Run(context.Background(), p, solver.Options{Tol: tol})
	if err != nil || whole.Status != solver.Converged || whole.Iter < 8 {
		t.Fatalf("%+v, %v", whole, err)
	}
	for limit := 1; limit < whole.Iter; limit++ { // within the first stage, at the ends of some, and within the last
		var steps, last int
		c := solver.Continuation{Stage: func(_, _ float64, r *solver.Result) { steps, last = steps+r.Iter, r.Iter }}
		r, err := c.Run(context.Background(), p, solver.Options{Tol: tol, MaxIter: limit})
		if err != nil {
			t.Fatal(err)
		}
		if r.Iter != limit || steps-last+r.State.Iter != limit || r.Status != solver.MaxIterations ||
			!(r.State.Cert.LowerBound <= whole.State.Cert.Objective) {
			t.Errorf("of at most %d: %d iterations, %s, %+v", limit, r.Iter, r.Status, r.State.Cert)
		}
	}
}

func TestContinuationRefuses(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 20, 5, 1)
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Square{Lambda: 1}}
	if _, err := (solver.Continuation{}).Run(context.Background(), p, solver.Options{}); err == nil {
		t.Error("a square has no λ₀, and passes")
	}
	p.Penalty = gauge.Linear{Lambda: 1}
	if _, err := (solver.Continuation{Ratio: 1}).Run(context.Background(), p, solver.Options{}); err == nil {
		t.Error("a ratio of 1 passes")
	}
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if r, err := (solver.Continuation{}).Run(cancelled, p, solver.Options{}); r != nil || !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %+v, %v", r, err)
	}
}
