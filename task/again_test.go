package task_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A fit after a field was changed solves what a fresh task does, leaves the first result to its owner, and the rows as they were.
func TestLinearFitsAgain(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	x, y := make([][]float64, 30), make([]float64, 30)
	for i := range x {
		x[i] = make([]float64, 6)
		for j := range x[i] {
			x[i][j] = rng.NormFloat64() * float64(j+1)
		}
		y[i] = 3 + x[i][0] - x[i][1] + rng.NormFloat64()
	}
	opt := task.Options{Lambda: 2, Run: solver.Options{Tol: 1e-9}}
	fresh := func(change func(*task.Linear)) *task.LinearResult {
		l := &task.Linear{Kind: task.Regression, Train: targetsOf(t, x, y...)}
		change(l)
		return fitLinear(t, l, opt)
	}
	rows := targetsOf(t, x, y...)
	l := &task.Linear{Kind: task.Regression, Train: rows}
	first := fitLinear(t, l, opt)
	objective, entries := first.Result.State.Cert.Objective, slices.Clone(first.Model.Entries.Values)
	penalty := first.Fitting.Problem.Penalty
	given := slices.Clone(rows.X.Dense)
	for name, change := range map[string]func(*task.Linear){
		"gauge":       func(l *task.Linear) { l.Gauge = gauge.Lp{P: 2} },
		"intercept":   func(l *task.Linear) { l.Intercept = true },
		"standardize": func(l *task.Linear) { l.Standardize = true },
		"loss":        func(l *task.Linear) { l.Loss = task.Loss{Kind: task.Huber, Mu: 1} },
	} {
		change(l)
		again, want := fitLinear(t, l, opt), fresh(change)
		got, f := again.Result.State.Cert.Objective, want.Result.State.Cert.Objective
		if math.Abs(got-f) > 1e-8*f || math.Abs(got-objective) < 1e-6*f {
			t.Errorf("%s: %v, a fresh task has %v, the first was %v", name, got, f, objective)
		}
		*l = task.Linear{Kind: task.Regression, Train: rows}
	}
	if first.Result.State.Cert.Objective != objective || !slices.Equal(first.Model.Entries.Values, entries) ||
		first.Fitting.Problem.Penalty != penalty || !slices.Equal(rows.X.Dense, given) {
		t.Error("the first result or the rows have changed")
	}
}
