package task_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/task"
)

// four is the lasso of targets 4, -3, 1 and 0.5 with the identity: W = 0 from λ = 4 on.
func four(t *testing.T, k gcg.Gauge) *task.Linear {
	return &task.Linear{Kind: task.Regression, Gauge: k, Train: targetsOf(t, unit(4), 4, -3, 1, 0.5)}
}

// λ may be given as a part of the smallest one with W = 0, which is within a thousandth, and a bound in its place. All of them
// threshold the targets: by τ = 2, by 2 again for |2| + |1| = 3, by τ = ρ = 7/3, and by τ = -1/6 for a sum of 6.
func TestOptionsOfSolve(t *testing.T) {
	for name, c := range map[string]struct {
		gauge                gcg.Gauge
		opt                  task.Options
		lambda, rho, optimum float64
		slack                float64
	}{
		"ratio":  {nil, task.Options{LambdaRatio: 0.5}, 2, 3, 2*4 - 2 + 2*3 - 2 + 0.5 + 0.125, 0.02},
		"ball":   {nil, task.Options{Zeta: 3}, 0, 3, (4 + 4 + 1 + 0.25) / 2, 1e-6},
		"square": {nil, task.Options{Lambda: 1, Square: true}, 1, 7.0 / 3, 1.5*49/9 + 0.625, 1e-6},
		"held":   {gauge.Simplex{}, task.Options{Zeta: 6}, 0, 6, (3.0/36 + 9) / 2, 1e-6},
	} {
		c.opt.Run.Tol = 1e-10
		r := fitLinear(t, four(t, c.gauge), c.opt)
		near(t, name+": λ", r.Lambda, c.lambda, c.slack)
		near(t, name+": κ", r.Result.State.Rho, c.rho, c.slack)
		near(t, name+": the objective", r.Result.State.Cert.Objective, c.optimum, c.slack)
		if r.Result.State.Cert.Relative > 1e-9 || r.Choice != nil {
			t.Errorf("%s: gap %v", name, r.Result.State.Cert.Relative)
		}
	}
	for want, opt := range map[string]task.Options{"exclude each other": {Lambda: 1, Zeta: 1}, "are positive": {Lambda: -1},
		"not NaN": {Zeta: math.NaN()}} {
		if _, err := four(t, nil).Fit(context.Background(), opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q", opt, err, want)
		}
	}
}

// Why there is no more to see is a warning: W = 0 at a λ that was given, or a rank that was limited.
func TestShortfalls(t *testing.T) {
	zero := fitLinear(t, four(t, nil), task.Options{Lambda: 5})
	at := slices.IndexFunc(zero.Warnings, func(w task.Warning) bool { _, ok := w.(warning.ZeroSolution); return ok })
	if at < 0 || math.Abs(zero.Warnings[at].(warning.ZeroSolution).Top-4) > 4e-3 {
		t.Errorf("at λ = 5: %v", zero.Warnings)
	}
	matrix := &task.Linear{Kind: task.Regression, Gauge: gauge.Trace{}, Train: targetsOf(t, unit(3), 9, 0, 0, 0, 8, 0, 0, 0, 7)}
	limited := fitLinear(t, matrix, task.Options{Lambda: 1, Method: func(*gcg.Problem) (solver.Method, solver.Improver) {
		return &conditional.GCG{OutsideW: true, MaxRank: 1}, &fixedrank.Local{}
	}})
	if !slices.Contains(limited.Warnings, task.Warning(warning.Stall{Reason: warning.AtMaxRank, MaxRank: 1})) {
		t.Errorf("rank %d: %v", limited.Result.State.W.Rank(), limited.Warnings)
	}
}

// Choosing λ leaves time for the fit, and says where it ended early.
func TestSolveInTime(t *testing.T) {
	x, labels := blobs(3, 90)
	for _, folds := range []int{0, 2} {
		l := &task.Linear{Kind: task.Classification, Train: rowsOf(t, x, labels...)}
		r, err := l.Fit(context.Background(), task.Options{Folds: folds, Points: 60, Ratio: 1e-3,
			Run: solver.Options{Tol: 1e-9, MaxTime: 50 * time.Millisecond}})
		if err != nil {
			if folds > 0 && strings.Contains(err.Error(), selection.ErrNoTime.Error()) {
				continue // on a machine that is busy
			}
			t.Fatal(err)
		}
		if r.Result.State.Cert.Objective <= 0 || !(r.Lambda > 0) {
			t.Errorf("%d folds: λ %v, objective %v", folds, r.Lambda, r.Result.State.Cert.Objective)
		}
	}
}
