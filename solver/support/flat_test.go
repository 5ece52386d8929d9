package support_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// A Huber loss is flat beyond its width, and λκ²/2 does not tell how a weight of κ is shared: a model without curvature along a
// block promised nothing, and the run stalled at gaps from 1e-5 to a quarter.
func TestFlatLossUnderSquarePenalty(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 3))
		const rows, features, outputs = 5, 40, 3
		x, y := make([]float64, rows*features), make([]float64, rows*outputs)
		for i := range x {
			x[i] = 0.1 * rng.NormFloat64()
		}
		for i := range y {
			y[i] = math.Copysign(1, rng.NormFloat64())
		}
		f, err := operator.DenseFeatures(rows, features, x)
		if err != nil {
			t.Fatal(err)
		}
		op, err := operator.NewDesign(f, outputs)
		if err != nil {
			t.Fatal(err)
		}
		for name, c := range map[string]struct {
			gauge  gcg.Gauge
			method solver.Method
		}{"columns": {gauge.Group{ByColumns: true}, &conditional.GCG{}},
			"columns by atoms": {gauge.Group{ByColumns: true}, &support.AtomDescent{}},
			"entries":          {gauge.L1{}, &conditional.GCG{}}, "entries by atoms": {gauge.L1{}, &support.AtomDescent{}},
			"trace by atoms": {gauge.Trace{}, &support.AtomDescent{}}} {
			p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 0.1}, Gauge: c.gauge,
				Penalty: gauge.Square{Lambda: 0.1 * float64(1+seed)}}
			r := testrun.Must(t, p, c.method, solver.Options{Tol: 1e-6, MaxIter: 300, Improver: &solver.Corrective{}})
			if r.Status != solver.Converged {
				t.Errorf("seed %d, %s: %s at a gap of %.1e", seed, name, r.Status, r.State.Cert.Relative)
			}
		}
	}
}
