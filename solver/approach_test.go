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
)

// approached is a problem solved by way of larger λ, and whether there were some.
func approached(t *testing.T, p *gcg.Problem, opt solver.Options) (r *solver.Result, stages int) {
	t.Helper()
	opt.Improver = &solver.Local{}
	var seen []float64
	opt.Event = func(e solver.Event) { seen = append(seen, e.State.Cert.Objective) }
	r, err := solver.Approach{Method: func() solver.Method { return &solver.GCG{OutsideW: true} },
		Stage: func(float64, *solver.Result) { stages++ }}.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	if len(seen) == 0 || seen[len(seen)-1] != r.State.Cert.Objective || r.Iter < stages {
		t.Errorf("%d events, %d iterations for %d stages", len(seen), r.Iter, stages)
	}
	return r, stages
}

// The optimum of fully observed entries is known by their singular values at every λ, and reached by way of larger ones where
// it is small.
func TestApproachFullyObserved(t *testing.T) {
	for _, by := range []float64{0.1, 1e-3, 1e-5} {
		p, s := testproblem.Full(t, 12, 8, 1, 5)
		for _, h := range []gcg.Penalty{gauge.Linear{Lambda: by * s[0]}, gauge.Square{Lambda: by * s[0]}, gauge.Ball{Zeta: s[0]}} {
			p.Penalty = h
			r, stages := approached(t, p, solver.Options{Tol: 1e-6})
			want := testproblem.Thresholded(h, s)
			c := r.State.Cert
			if r.Status != solver.Converged || !(c.LowerBound <= want*(1+1e-9) && want <= c.Objective*(1+1e-9)) {
				t.Errorf("%T at %v: %s, %.10g is not in [%.10g, %.10g]", h, by, r.Status, want, c.LowerBound, c.Objective)
			}
			if _, linear := h.(gauge.Linear); linear && (stages > 0) != (by < 0.005) {
				t.Errorf("λ = %v λ₀ is reached by way of %d others", by, stages)
			}
		}
	}
}

// Entries that W interpolates nearly: from W = 0 the gap stayed above a third after thousands of Newton steps.
func TestApproachInterpolation(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const m, n, rank = 40, 30, 3
	u, v := make([]float64, m*rank), make([]float64, n*rank)
	for _, x := range [][]float64{u, v} {
		for i := range x {
			x[i] = rng.NormFloat64()
		}
	}
	ptr, cols, y := []int64{0}, []int32{}, []float64{}
	for i := range m {
		for j := range n {
			if rng.Float64() < 0.39 {
				x := 0.3 * rng.NormFloat64()
				for c := range rank {
					x += u[i*rank+c] * v[j*rank+c]
				}
				cols, y = append(cols, int32(j)), append(y, x)
			}
		}
		ptr = append(ptr, int64(len(cols)))
	}
	op, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range []gcg.Penalty{gauge.Linear{Lambda: 1e-3}, gauge.Linear{Lambda: 1e-5}, gauge.Square{Lambda: 1e-6}} {
		p := &gcg.Problem{Operator: op, Loss: &loss.Squared{Y: y}, Gauge: gauge.Trace{}, Penalty: h}
		r, stages := approached(t, p, solver.Options{})
		if r.Status != solver.Converged || stages == 0 {
			t.Errorf("%T: %s at a gap of %.2g after %d stages", h, r.Status, r.State.Cert.Relative, stages)
		}
	}
}
