package views_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/views"
)

// twice is a matrix as both views.
func twice(x *dataset.Matrix, scale views.Scaling) *views.Task {
	return &views.Task{Views: []views.View{{Name: "a", X: x}, {Name: "b", X: x}}, Scale: scale}
}

// Views of which nothing is left, or one row or column, are solved: W = 0, or what there is.
func TestLittleData(t *testing.T) {
	for name, x := range map[string]*dataset.Matrix{
		"zero": matrix(3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), "constant": matrix(3, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2),
		"one sample": matrix(3, 1, 2, 4), "one feature": matrix(1, 1, 2, 4, 5, 1), "one entry": matrix(1, 2),
		"rounding": matrix(2, 5e-324, 0, 0, 5e-324, 0, 0, 0, 0),
	} {
		for _, scale := range []views.Scaling{views.Raw, views.Centred, views.Standardised} {
			for _, opt := range []task.Options{{}, {Lambda: 0.5}, {Zeta: 1}, {Lambda: 0.5, Square: true}} {
				res, err := twice(x, scale).Fit(context.Background(), opt)
				if err != nil {
					if opt.Lambda == 0 && opt.Zeta == 0 && strings.Contains(err.Error(), "too few") {
						continue // there is nothing to hold out
					}
					t.Errorf("%s, %s, λ = %v, ζ = %v: %v", name, scale, opt.Lambda, opt.Zeta, err)
					continue
				}
				if c := res.Result.State.Cert; res.Result.Status != solver.Converged || !(c.Objective >= 0) {
					t.Errorf("%s, %s, λ = %v, ζ = %v: %s, [%v, %v]", name, scale, opt.Lambda, opt.Zeta, res.Result.Status, c.LowerBound,
						c.Objective)
				}
			}
		}
	}
}

// Matrices that are none are refused by name.
func TestNoMatrix(t *testing.T) {
	for want, x := range map[string]*dataset.Matrix{
		"a: is no matrix":                 nil,
		"a: is no matrix: it needs":       {},
		"a: has 2 numbers":                {Rows: 4, Cols: 3, Dense: []float64{1, 2}},
		"a: 0 offsets":                    {Rows: 4, Cols: 3},
		"a: is no dense":                  {Rows: 1, Cols: 1, Ptr: []int64{0, 0}},
		"a: has 1 names":                  {Rows: 1, Cols: 2, Dense: []float64{1, 2}, Names: []string{"x"}},
		"a: row 1, column 2: is +Inf":     matrix(2, 1, math.Inf(1)),
		"a: row 1, column 1: is 1e+200;":  matrix(2, 1e200, 1),
		"a: column 1 is missing in every": matrix(2, math.NaN(), 1),
	} {
		_, err := twice(x, views.Raw).Fit(context.Background(), task.Options{})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Every fit reads all fields anew, writes none of them, and leaves the results before it as they are.
func TestFitReadsAllFields(t *testing.T) {
	x := matrix(3, 1, 2, 0, 3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8)
	whole := slices.Clone(x.Dense)
	fit := func(v *views.Task) *views.Result {
		res, err := v.Fit(context.Background(), task.Options{Lambda: 1, Run: solver.Options{Tol: 1e-8}})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	v := twice(x, views.Raw)
	first := fit(v)
	objective, u := first.Result.State.Cert.Objective, slices.Clone(first.Model.U)
	for name, change := range map[string]func(*views.Task){
		"the gauge":     func(v *views.Task) { v.Gauge = gauge.Trace{} },
		"the scale":     func(v *views.Task) { v.Scale = views.Standardised },
		"the radius":    func(v *views.Task) { v.Views[0].Radius = 3 },
		"the weight":    func(v *views.Task) { v.Views[1].Weight = 2 },
		"the loss":      func(v *views.Task) { v.Views[1].Loss = task.Loss{Kind: task.Huber, Mu: 0.1} },
		"the mean":      func(v *views.Task) { v.Normalize = task.Mean },
		"the data":      func(v *views.Task) { v.Views[0].X = matrix(1, 1, 2, 3, 4, 5) },
		"nothing (raw)": func(*views.Task) {},
	} {
		changed, fresh := twice(x, views.Raw), twice(x, views.Raw)
		fit(changed)
		change(changed)
		change(fresh)
		if got, want := fit(changed).Result.State.Cert.Objective, fit(fresh).Result.State.Cert.Objective; got != want {
			t.Errorf("%s was changed: the objective is %v, where a fresh task has %v", name, got, want)
		}
	}
	if v.Views[0].Radius != 0 || v.Views[0].Weight != 0 || !slices.Equal(x.Dense, whole) {
		t.Errorf("the fit wrote to its fields: %+v", v.Views[0])
	}
	if first.Result.State.Cert.Objective != objective || !slices.Equal(first.Model.U, u) {
		t.Error("the first result changed under its owner")
	}
}
