package support_test

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
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Every method reports the conditions of an ε-solution. In the ball of the penalised solution's radius, λ is the multiplier,
// and both solutions have ε near 0; a run cut short has none.
func TestSolutionOfOtherMethods(t *testing.T) {
	op, y, _, _ := testproblem.Regression(t, 60, 25, 1)
	q, lambda := testrun.AtFraction(t, &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Intercept: true},
		0.2)
	opt := solver.Options{Tol: 1e-9, Improver: &solver.Corrective{}}
	r := testrun.Must(t, q, &conditional.GCG{}, opt)
	if e := r.Solution.Epsilon(); !(e <= 1e-5*lambda) {
		t.Errorf("h = λx: ε = %g λ", e/lambda)
	}
	q.Penalty = gauge.Ball{Zeta: r.State.Rho}
	ball := testrun.Must(t, q, &conditional.GCG{}, opt)
	if e := ball.Solution.Epsilon(); !(e <= 1e-4*lambda) {
		t.Errorf("ball: ε = %g λ", e/lambda)
	}
	if multiplier := q.InnerProduct(ball.State) / ball.State.Rho; math.Abs(multiplier-lambda) > 1e-4*lambda {
		t.Errorf("the multiplier is %g, λ %g", multiplier, lambda)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	q.Penalty = gauge.Linear{Lambda: lambda}
	opt.Start = r.State.W
	cut, err := solver.Run(ctx, q, &conditional.GCG{}, opt)
	if !errors.Is(err, context.Canceled) || cut == nil {
		t.Fatal(cut, err)
	}
	if cut.Status != solver.Interrupted || !math.IsNaN(cut.Solution.Epsilon()) {
		t.Errorf("%s, and without a polar ε is %g", cut.Status, cut.Solution.Epsilon())
	}
}
