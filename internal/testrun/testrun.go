// Package testrun runs solvers in tests, and holds what they certify against optima that are known another way.
package testrun

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
)

// Must is a run that has no error, and whose state after every step is that of its W: see conform.State.
func Must(t testing.TB, p *gcg.Problem, m solver.Method, opt solver.Options) *solver.Result {
	t.Helper()
	event := opt.Event
	opt.Event = func(e solver.Event) {
		e.Uncharged(func() {
			for _, c := range conform.State(p, e.State) {
				if !c.OK() {
					t.Errorf("step %d: %v", e.Iter, c)
				}
			}
		})
		if event != nil {
			event(e)
		}
	}
	r, err := solver.Run(context.Background(), p, m, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// AtFraction is the problem with h = λx at a fraction of λ₀, and that λ.
func AtFraction(t testing.TB, p *gcg.Problem, fraction float64) (*gcg.Problem, float64) {
	t.Helper()
	q := *p
	q.Penalty = gauge.Linear{Lambda: 1}
	top, err := solver.MaxLambda(context.Background(), &q)
	if err != nil {
		t.Fatal(err)
	}
	q.Penalty = gauge.Linear{Lambda: fraction * top}
	return &q, fraction * top
}

// Rounding of an optimum, as part of it and of the loss at W = 0, whose terms may cancel in it.
const (
	ofOptimum = 1e-11
	ofLoss    = 1e-12
)

// Bracket asserts optimum ∈ [lower bound, objective] up to rounding, and the gap of a run that converged.
func Bracket(t testing.TB, r *solver.Result, optimum, tol float64) {
	t.Helper()
	c := r.State.Cert
	rounding := ofOptimum*math.Abs(optimum) + ofLoss*r.State.LossAtZero
	if c.Objective < optimum-rounding || c.LowerBound > optimum+rounding {
		t.Errorf("optimum %.15g is not in [%.15g, %.15g]", optimum, c.LowerBound, c.Objective)
	}
	if r.Status == solver.Converged && c.Objective-optimum > tol*math.Abs(c.Objective)+rounding {
		t.Errorf("objective %.15g is more than %g above the optimum %.15g", c.Objective, tol, optimum)
	}
}
