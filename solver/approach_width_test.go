package solver_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/testrun"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/solver"
)

// outliers are 40 samples of 12 features and 3 outputs, some far off, with targets of a scale and a Huber loss of a width.
func outliers(t *testing.T, scale, width float64) *gcg.Problem {
	t.Helper()
	const n, features, outputs = 40, 12, 3
	rng := rand.New(rand.NewPCG(3, 1))
	x, y := make([]float64, n*features), make([]float64, n*outputs)
	for e := range x {
		x[e] = rng.NormFloat64()
	}
	for e := range y {
		y[e] = scale * (2*x[e/outputs*features+e%outputs] - x[e/outputs*features+4] + 0.3*rng.NormFloat64())
		if rng.IntN(20) == 0 {
			y[e] += 10 * scale * rng.NormFloat64()
		}
	}
	dense, err := operator.DenseFeatures(n, features, x)
	if err != nil {
		t.Fatal(err)
	}
	op, err := operator.NewDesign(dense, outputs)
	if err != nil {
		t.Fatal(err)
	}
	return &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: width, Group: outputs}, Gauge: gauge.L1{},
		Penalty: gauge.Linear{Lambda: 4}}
}

// approach solves p as solver.For says, by an Approach.
func approach(t *testing.T, p *gcg.Problem, opt solver.Options) *solver.Result {
	t.Helper()
	_, improver, _ := solver.For(p)
	opt.Improver = improver
	r, err := solver.Approach{Method: func() solver.Method { m, _, _ := solver.For(p); return m }}.Run(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A width that suits targets of size 1 suits them at any size: the gap closes, and the optimum is that of the absolute value but
// for the width's part, in units of the targets.
func TestApproachNarrowBends(t *testing.T) {
	wide := approach(t, outliers(t, 1, 1e-6), solver.Options{Tol: 1e-4}).State.Cert
	for _, scale := range []float64{1e-3, 1, 1e3, 1e6} {
		for _, k := range []gcg.Gauge{gauge.L1{}, gauge.Group{}} {
			t.Run(fmt.Sprintf("%g/%s", scale, k.Name()), func(t *testing.T) {
				p := outliers(t, scale, 0.01)
				p.Gauge = k
				c := approach(t, p, solver.Options{Tol: 1e-3}).State.Cert
				if c.Relative > 1e-3 || !(c.LowerBound > 0) {
					t.Errorf("the gap is %.3g at the bound %v", c.Relative, c.LowerBound)
				}
				short := 0.005 * float64(p.Loss.Len()) // the most that the width takes off
				if _, ok := k.(gauge.L1); ok && (c.Objective < scale*wide.LowerBound-short || c.LowerBound > scale*wide.Objective*(1+1e-6)) {
					t.Errorf("[%v, %v], by the absolute value [%v, %v] × %g", c.LowerBound, c.Objective, wide.LowerBound, wide.Objective,
						scale)
				}
			})
		}
	}
}

// With every entry observed, the Huber function of width μ under λ < 1 leaves a residual of λμ: the optimum is Σ λ|y| - λ²μ/2.
func TestApproachNarrowBendsKnown(t *testing.T) {
	const lambda, width = 0.4, 0.01
	rng := rand.New(rand.NewPCG(7, 1))
	y, want := make([]float64, 6*5), 0.0
	for e := range y {
		y[e] = 1e6 * rng.NormFloat64()
		want += lambda*math.Abs(y[e]) - lambda*lambda*width/2
	}
	op, err := operator.NewIdentity(6, 5)
	if err != nil {
		t.Fatal(err)
	}
	p := &gcg.Problem{Operator: op, Loss: &loss.Huber{Y: y, Mu: width}, Gauge: gauge.L1{}, Penalty: gauge.Linear{Lambda: lambda}}
	testrun.Bracket(t, approach(t, p, solver.Options{Tol: 1e-6}), want, 1e-6)
}

// Where the time is up on the way, the iterate has a bound for the loss and the penalty that were asked for.
func TestApproachOutOfTime(t *testing.T) {
	p := outliers(t, 1e6, 0.01)
	r := approach(t, p, solver.Options{Tol: 1e-6, MaxTime: time.Nanosecond})
	if c := r.State.Cert; r.Status != solver.MaxTime || math.IsInf(c.LowerBound, -1) || c.Relative > 1e3 {
		t.Errorf("%s with %+v", r.Status, c)
	}
}
