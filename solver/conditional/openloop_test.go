package conditional_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Open loops go on where several steps in a row bring nothing: their gaps are of the order of 1/t, and not monotone. A constant
// step comes to rest at a gap of the order of the step.
func TestOpenLoopsGoOn(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 5))
	op, x := testproblem.NormalDesign(t, rng, 60, 30)
	y := make([]float64, 60)
	for i := range y {
		y[i] = 3*x[i*30] - 2*x[i*30+1] + x[i*30+2] + rng.NormFloat64()
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 5}}
	for rule, status := range map[conditional.Rule]solver.Status{conditional.OpenLoop: solver.MaxIterations,
		conditional.OpenLoop1: solver.MaxIterations, conditional.ConstantStep: solver.Stalled} {
		r, err := solver.Run(context.Background(), p, &conditional.GCG{Rule: rule, Horizon: 3000}, solver.Options{Tol: 1e-9,
			MaxIter: 3000})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != status || !(r.State.Cert.Relative < 0.05) {
			t.Errorf("rule %d: %s after %d iterations at a gap of %g", rule, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}
