package newton_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// Losses whose derivative has kinks close under the trace norm in a few iterations, where second derivatives at a point took
// steps that ended at the next kink and were of no end.
func TestKinkedLosses(t *testing.T) {
	const rows, features, targets = 60, 150, 3
	rng := rand.New(rand.NewPCG(7, 1))
	x, y, wide := make([]float64, rows*features), make([]float64, rows*targets), make([]float64, rows*targets)
	for i := range x {
		x[i] = rng.NormFloat64()
	}
	for i := range y {
		y[i] = math.Copysign(1, x[i/targets*features+i%targets]+rng.NormFloat64())
		wide[i] = 10*x[i/targets*features+i%targets] + 10*rng.NormFloat64()
	}
	f, err := operator.DenseFeatures(rows, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(f, targets)
	if err != nil {
		t.Fatal(err)
	}
	for name, l := range map[string]gcg.Loss{
		"smoothed hinge": &loss.SmoothedHinge{Y: y, Mu: 0.1},
		"squared hinge":  &loss.SquaredHinge{Y: y},
		"huber":          &loss.Huber{Y: wide, Mu: 1},
	} {
		p := &gcg.Problem{Operator: op, Loss: l, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: 1}}
		opt := solver.Options{Tol: 1e-6, MaxIter: 150, Improver: &fixedrank.Local{}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, opt)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %s in %d iterations at rank %d", name, r.Status, r.Iter, r.State.W.Rank())
		if r.Status != solver.Converged {
			t.Errorf("%s: %s with a gap of %.2g after %d iterations", name, r.Status, r.State.Cert.Relative, r.Iter)
		}
	}
}
