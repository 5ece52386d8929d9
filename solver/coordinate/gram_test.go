package coordinate_test

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
)

// X̃ᵀX̃ is formed where sweeps are many, as columns are alike, and not where they are few.
func TestProductsOfColumnsAreFormedWhereSweepsAreMany(t *testing.T) {
	apart := gaussian(600, 300, 1)
	alike := apart.changed("alike", func(i, j int, x float64) float64 { return apart.x[i*apart.p] + x/30 })
	for _, c := range []struct {
		d      design
		ratio  float64
		formed bool
	}{{apart, 0.02, false}, {alike, 1e-3, true}} {
		x, err := operator.NewDesign(c.d.features(t, false), 1)
		if err != nil {
			t.Fatal(err)
		}
		p := &gcg.Problem{Operator: x, Loss: c.d.losses()["squares"], Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
		lambda0, err := solver.MaxLambda(context.Background(), p)
		if err != nil {
			t.Fatal(err)
		}
		p.Penalty = gauge.Linear{Lambda: c.ratio * lambda0}
		m := &coordinate.Descent{}
		r, err := solver.Run(context.Background(), p, m, solver.Options{Tol: 1e-8})
		if err != nil || r.Status != solver.Converged {
			t.Fatalf("%s: %v, %v", c.d.name, r, err)
		}
		if got := m.Formed() > 0; got != c.formed {
			t.Errorf("%s: formed %v of %d columns", c.d.name, got, m.Formed())
		}
	}
}
