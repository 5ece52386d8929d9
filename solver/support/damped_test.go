package support_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
)

// In a ball nothing but curvature keeps a step short, and far from its targets a Huber loss has none.
func TestBallWhereTheLossIsFlat(t *testing.T) {
	const n, features = 10, 60
	for seed := range uint64(4) {
		op, _, y := fewDirections(t, n, features, 20, seed)
		p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Mu: 0.5, Y: y}, Gauge: gauge.Group{ByColumns: true}}
		for _, zeta := range []float64{0.1, 0.5, 2} {
			p.Penalty = gauge.Ball{Zeta: zeta}
			r := testrun.Must(t, p, &conditional.GCG{}, solver.Options{Tol: 1e-6, MaxIter: 2,
				Improver: &solver.Corrective{Steps: 12}})
			if c := r.State.Cert; r.Status != solver.Converged {
				t.Errorf("%d, ζ = %v: %s, F = %.6g, relative gap %.1e", seed, zeta, r.Status, c.Objective, c.Relative)
			}
		}
	}
}
