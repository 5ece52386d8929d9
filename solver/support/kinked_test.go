package support_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// Losses with kinks close where entries are few: on a support second derivatives that are 0 at a point left no model of a step.
func TestKinkedLosses(t *testing.T) {
	const rows, features = 100, 270
	for seed := range uint64(3) {
		rng := rand.New(rand.NewPCG(seed, 3))
		op, x := testproblem.NormalDesign(t, rng, rows, features)
		y := make([]float64, rows)
		for i := range y {
			y[i] = math.Copysign(1, x[i*features]+x[i*features+1]+0.5*rng.NormFloat64())
		}
		l := &loss.SmoothedHinge{Y: y, Mu: 0.1}
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.PositiveL1{}, Penalty: gauge.Linear{Lambda: 0.02}}
		opt := solver.Options{Tol: 1e-6, MaxIter: 300, Improver: &solver.Corrective{}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("seed %d: %s in %d iterations with %d entries", seed, r.Status, r.Iter, len(r.State.W.Terms))
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %s with a gap of %.2g after %d iterations", seed, r.Status, r.State.Cert.Relative, r.Iter)
		}
	}
}
