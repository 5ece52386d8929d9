package solver_test

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

// A Huber loss is straight for targets far beyond its width: steps find its kink all the same.
func TestFarKinks(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 8))
	for _, size := range []float64{1e2, 1e5, 1e8} {
		x, y := make([]float64, 14), make([]float64, 14)
		for i := range x {
			x[i] = rng.NormFloat64()
			y[i] = size * (x[i] + rng.NormFloat64())
		}
		f, err := operator.DenseFeatures(14, 1, x)
		check(t, err)
		op, err := operator.NewDesign(f, 1)
		check(t, err)
		p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: 1}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: 1}}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-4, MaxIter: 60})
		check(t, err)
		if r.Status != solver.Converged {
			t.Errorf("targets of %g: %s after %d steps at a gap of %v", size, r.Status, r.Iter, r.State.Cert.Relative)
		}
	}
}

// Relative gaps are relative to the objective, however small that is.
func TestTinyObjectives(t *testing.T) {
	for _, size := range []float64{1e-100, 1e-150, 1e-154} {
		p := whole(t)
		y := p.Loss.(*loss.Squared).Y
		for i := range y {
			y[i] *= size
		}
		p.Penalty = gauge.Linear{Lambda: 0.5 * size}
		r, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{Tol: 1e-6,
			Improver: &solver.Corrective{}})
		check(t, err)
		if c := r.State.Cert; math.Abs(c.Relative-c.Gap/c.Objective) > 1e-12 || r.State.W.Zero() {
			t.Errorf("size %g: %s, %+v", size, r.Status, c)
		}
	}
}

// No penalty at all is one that is 0; an infinite λ is none.
func TestExtremePenalties(t *testing.T) {
	p := whole(t)
	p.Gauge, p.Penalty = gauge.Trace{}, gauge.Square{}
	r, err := solver.Run(context.Background(), p, &conditional.GCG{OutsideW: true}, solver.Options{Improver: &fixedrank.Local{}})
	check(t, err)
	if c := r.State.Cert; math.IsNaN(c.LowerBound) || math.IsNaN(c.Gap) || !(c.Objective < 1e-9) {
		t.Errorf("%s, %+v", r.Status, c)
	}
	p.Penalty = gauge.Linear{Lambda: math.Inf(1)}
	if _, err := solver.Run(context.Background(), p, &conditional.GCG{}, solver.Options{}); err == nil {
		t.Error("an infinite λ is taken")
	}
}
