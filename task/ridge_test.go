package task_test

import (
	"context"
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// With orthonormal features the elastic net thresholds each target by λ and divides by 1 + μ; a ridge alone only divides. A ridge
// as a part of λ is the same.
func TestRidgeOfOrthonormalFeatures(t *testing.T) {
	const lambda, mu = 1.5, 0.5
	y := []float64{3, -2, 0.5, 7}
	close := solver.Options{Tol: 1e-10}
	alone := task.Options{Lambda: mu, Square: true, Run: close}
	for name, c := range map[string]struct {
		l      task.Linear
		opt    task.Options
		lambda float64
	}{
		"both":  {task.Linear{Ridge: mu}, task.Options{Lambda: lambda, Run: close}, lambda},
		"part":  {task.Linear{L1Ratio: 0.75}, task.Options{Lambda: 2, Run: close}, lambda},
		"alone": {task.Linear{Gauge: gauge.Lp{P: 2}}, alone, 0},
	} {
		c.l.Kind, c.l.Train = task.Regression, targetsOf(t, unit(4), y...)
		r := fitLinear(t, &c.l, c.opt)
		for i, want := range y {
			want = math.Copysign(math.Max(0, math.Abs(want)-c.lambda)/(1+mu), want)
			got := make([]float64, 1)
			r.Model.Linear().WeightsTo(got, i)
			near(t, name, got[0], want, 1e-5)
		}
		if info := r.Model.Info; name != "alone" && (info.Ridge != mu || info.Lambda != c.opt.Lambda ||
			info.L1Ratio != c.l.L1Ratio) {
			t.Errorf("%s: the model says λ %v, ridge %v, l1 ratio %v", name, info.Lambda, info.Ridge, info.L1Ratio)
		}
		if c := r.Result.State.Cert; c.Relative > 1e-10 {
			t.Errorf("%s: a gap of %v", name, c.Relative)
		}
	}
}

// A path of an elastic net begins where W = 0, and at each λ is what a fit at it is; folds weigh the ridge as they weigh λ.
func TestElasticNetPath(t *testing.T) {
	x, _ := blobs(3, 60)
	y := make([]float64, len(x))
	for i := range x {
		y[i] = x[i][0] - 2*x[i][1] + 0.1*float64(i%7)
	}
	l := &task.Linear{Kind: task.Regression, Train: targetsOf(t, x, y...), L1Ratio: 0.3, Intercept: true}
	p, err := l.Prepare()
	if err != nil {
		t.Fatal(err)
	}
	f, err := p.Whole()
	if err != nil {
		t.Fatal(err)
	}
	opt := selection.Options{Points: 4, Run: solver.Options{Tol: 1e-9}}
	c, err := selection.Path(context.Background(), f, opt)
	if err != nil {
		t.Fatal(err)
	}
	if c.Points[0].Rho != 0 || c.Points[1].Rho == 0 {
		t.Errorf("κ is %v at the first λ, and %v at the next", c.Points[0].Rho, c.Points[1].Rho)
	}
	for _, at := range c.Points[1:] {
		r := fitLinear(t, l, task.Options{Lambda: at.Lambda, Run: opt.Run})
		near(t, "objective", at.Cert.Objective, r.Result.State.Cert.Objective, 1e-8*at.Cert.Objective)
	}
	cv, err := selection.CrossValidate(context.Background(), p, opt)
	if err != nil {
		t.Fatal(err)
	}
	for i, at := range cv.Points[:4] {
		near(t, "λ of the folds", at.Lambda, c.Grid[i], 1e-12)
		if at.Cert.Relative > 1e-9 {
			t.Errorf("fold at λ %v: a gap of %v", at.Lambda, at.Cert.Relative)
		}
	}
}

// A task refuses ridges that are none.
func TestRidgeMisuse(t *testing.T) {
	for _, l := range []task.Linear{{Ridge: -1}, {Ridge: math.NaN()}, {L1Ratio: 1.5}, {L1Ratio: -0.1}, {Ridge: 1, L1Ratio: 0.5}} {
		l.Kind, l.Train = task.Regression, targetsOf(t, unit(2), 1, 2)
		if _, err := l.Prepare(); err == nil {
			t.Errorf("ridge %v with an ℓ1 ratio of %v is not refused", l.Ridge, l.L1Ratio)
		}
	}
}
