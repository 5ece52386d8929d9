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

// Few observations for many unknowns, and a small λ from the solution of a larger one: the Newton model has hardly any
// curvature, and its first step is ten powers of ten too long. It is shortened until F falls.
func TestLongStepsAreShortened(t *testing.T) {
	const m, n = 40, 30
	rng := rand.New(rand.NewPCG(1, 4))
	u, v := make([]float64, m*4), make([]float64, n*4)
	for i := range u {
		u[i] = rng.NormFloat64()
	}
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	ptr, cols, y := []int64{0}, []int32(nil), []float64(nil)
	for i := range m {
		for j := range n {
			if j != i%n && rng.Float64() > 0.25 {
				continue
			}
			x := 3 + 0.3*rng.NormFloat64()
			for c := range 4 {
				x += u[i*4+c] * v[j*4+c]
			}
			cols, y = append(cols, int32(j)), append(y, x)
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}}
	opt := solver.Options{Tol: 1e-3, Improver: &solver.Local{}, MaxIter: 20}
	err = solver.Path(context.Background(), p, func() solver.Method { return &solver.GCG{OutsideW: true} }, opt,
		[]float64{40, 15, 6, 2.5, 1, 0.4, 0.15, 0.05},
		func(l float64) gcg.Penalty { return gauge.Linear{Lambda: l} }, func(l float64, r *solver.Result) bool {
			if r.Status != solver.Converged {
				t.Errorf("λ = %g: %s at a gap of %g, rank %d", l, r.Status, r.State.Cert.Relative, r.State.W.Rank())
			}
			return true
		})
	if err != nil {
		t.Fatal(err)
	}
}
