package solver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// At a λ that is nothing W interpolates at full rank: there is nothing outside its spaces, which is no mistake of the polar.
func TestTinyLambda(t *testing.T) {
	const m, n = 21, 15
	ptr, cols, y := []int64{0}, []int32{}, []float64{}
	rng := rand.New(rand.NewPCG(1, 50))
	for range m {
		for j := range n {
			if rng.IntN(2) == 0 {
				cols, y = append(cols, int32(j)), append(y, float64(1+rng.IntN(5)))
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, lambda := range []float64{1e-30, 1e-320} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: gauge.Linear{Lambda: lambda}}
		_, improver, _ := solver.For(p)
		again := func() solver.Method { m, _, _ := solver.For(p); return m }
		r, err := solver.Approach{Method: again}.Run(context.Background(), p, solver.Options{Improver: improver})
		if err != nil {
			t.Fatalf("λ = %g: %v", lambda, err)
		}
		if c := r.State.Cert; !(c.LowerBound <= c.Objective) || c.Objective > 1e-9*r.State.LossAtZero {
			t.Errorf("λ = %g: %s with [%g, %g]", lambda, r.Status, c.LowerBound, c.Objective)
		}
	}
}
