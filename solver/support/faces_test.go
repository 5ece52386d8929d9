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
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Descent over blocks alone stalls on such data: at gaps of 1e-5 and more, after many iterations.
func TestFacesCloseTheGap(t *testing.T) {
	for seed := range uint64(4) {
		p := testproblem.Faced(t, 150, 25, 4, seed)
		r, err := solver.Run(context.Background(), p, &conditional.GCG{},
			solver.Options{Tol: 1e-8, Improver: &support.Corrective{}, MaxIter: 12})
		if err != nil {
			t.Fatal(err)
		}
		if r.Status != solver.Converged {
			t.Errorf("seed %d: %s after %d iterations at a gap of %g", seed, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}

// With more entries than observations, which W nearly interpolates, Newton steps on faces alone went on for thousands of
// iterations: they are singular there.
func TestFacesNearInterpolation(t *testing.T) {
	const rows, features, size = 40, 200, 10
	rng := rand.New(rand.NewPCG(6, 8))
	op, x := testproblem.NormalDesign(t, rng, rows, features)
	y, index := make([]float64, rows), make([][]int32, features/size)
	for i := range y {
		for j := range 3 * size {
			y[i] += x[i*features+j] * math.Cos(float64(j))
		}
		y[i] += rng.NormFloat64()
	}
	for j := range features {
		index[j/size] = append(index[j/size], int32(j))
	}
	groups := gauge.Group{Inner: gauge.LInf, Index: index}
	for name, l := range map[string]gcg.Loss{"squared": &loss.Squared{Y: y}, "huber": &loss.Huber{Y: y, Mu: 1}} {
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: 0.05}, gauge.Ball{Zeta: 3}} {
			p := &gcg.Problem{Operator: op, Loss: l, Gauge: groups, Penalty: h}
			r, err := solver.Run(context.Background(), p, &conditional.GCG{},
				solver.Options{Tol: 1e-6, Improver: &support.Corrective{}, MaxIter: 20})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged {
				t.Errorf("%s, %T: %s after %d iterations at a gap of %g", name, h, r.Status, r.Iter, r.State.Cert.Relative)
			}
		}
	}
}
