package solver_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
)

// With an intercept the steps know what it absorbs: as few are needed as without one, whatever the loss couples.
func TestInterceptIsAbsorbed(t *testing.T) {
	const n, p, outputs = 80, 12, 3
	op, y, signs, labels := testproblem.Regression(t, n, p, outputs)
	losses := map[string]gcg.Loss{"squared": &loss.Squared{Y: y, Mean: true, Group: outputs},
		"logistic": &loss.Logistic{Y: signs, Mean: true, Group: outputs},
		"softmax":  &loss.Softmax{Labels: labels, Classes: outputs, Mean: true}}
	for name, l := range losses {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}, gauge.Trace{}} {
			q := &gcg.Problem{Operator: op, Loss: l, Gauge: k, Penalty: gauge.Linear{Lambda: 1}, Intercept: true}
			top, err := solver.MaxLambda(context.Background(), q)
			if err != nil {
				t.Fatal(err)
			}
			q.Penalty = gauge.Linear{Lambda: 0.05 * top}
			method, improver := &conditional.GCG{}, solver.Improver(&solver.Corrective{})
			if _, ok := k.(gauge.Trace); ok {
				method.OutsideW, improver = true, &fixedrank.Local{}
			}
			r, err := solver.Run(context.Background(), q, method, solver.Options{Tol: 1e-7, Improver: improver, MaxIter: 40})
			if err != nil {
				t.Fatal(err)
			}
			if r.Status != solver.Converged || r.Iter > 20 {
				t.Errorf("%s, %s: %s after %d iterations with gap %g", name, k.Name(), r.Status, r.Iter, r.State.Cert.Relative)
			}
			var sums [outputs]float64 // Eᵀ∇L, which is 0 at the best intercept
			for i, x := range r.State.R {
				sums[i%outputs] += x
			}
			for c, x := range sums {
				if x > 1e-10 || x < -1e-10 {
					t.Errorf("%s, %s: place %d of the intercept has slope %g", name, k.Name(), c, x)
				}
			}
		}
	}
}

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
	opt := solver.Options{Tol: 1e-3, Improver: &fixedrank.Local{}, MaxIter: 20}
	err = solver.Path(context.Background(), p, func() solver.Method { return &conditional.GCG{OutsideW: true} }, opt,
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
