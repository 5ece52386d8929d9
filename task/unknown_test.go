package task_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A value that no constant of its type has is an error that names the field, and not taken for the usual one.
func TestUnknownValuesAreRefused(t *testing.T) {
	train, _ := generated(t)
	for want, c := range map[string]task.Completion{
		"Normalize is 7":          {Normalize: 7},
		"FoldBy is -1":            {FoldBy: -1},
		"Clip.Rule is 3":          {Clip: task.Clip{Rule: 3}},
		"Loss.Kind is 99":         {Loss: task.Loss{Kind: 99}},
		"centring is 7":           {Center: 7},
		"duplicates is 3":         {Duplicates: 3},
		"Weights.Rule is 5":       {Weights: task.Weights{Rule: 5}},
		"no width, and Mu is 3":   {Loss: task.Loss{Mu: 3}},
		"no quantile, and Tau is": {Loss: task.Loss{Kind: task.Huber, Tau: 0.3}},
		`no rule "2se"`:           {},
	} {
		c.Train = train
		_, err := c.Fit(context.Background(), task.Options{Folds: 2, Rule: "2se"})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	for want, l := range map[string]task.Linear{
		"Kind is 3": {Kind: 3}, "Normalize is -1": {Normalize: -1}, "FoldBy is 4": {FoldBy: 4},
		"Smoothed is of a Second": {Smoothed: true}, "FoldBy is of tasks": {Kind: task.Regression, FoldBy: task.FoldTasks},
		"the logistic loss has no width": {Kind: task.Classification, Loss: task.Loss{Mu: 0.5}},
	} {
		l.Train = &dataset.Rows{X: &dataset.Matrix{Rows: 1, Cols: 1, Dense: []float64{1}}}
		if _, err := l.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Pairs need no Values to be predicted.
func TestPredictRatingsWithoutValues(t *testing.T) {
	train, test := generated(t)
	m := fit(t, &task.Completion{Train: train}, task.Options{Lambda: 1, Run: solver.Options{Tol: 1e-3}}).Model
	want := task.PredictRatings(m, test).Values
	pairs := *test
	pairs.Values = nil
	if p := task.PredictRatings(m, &pairs); !slices.Equal(p.Values, want) || p.Errors.N() != 0 {
		t.Errorf("%d predictions where there are %d; %d errors", len(p.Values), len(want), p.Errors.N())
	}
}

// Ratings whose squares are 0 in float64 end with an answer or an error, with λκ²/2, too.
func TestTinyRatingsWithSquare(t *testing.T) {
	for _, scale := range []float64{1e-100, 1e-170, 1e-200, 1e-300} {
		train, _ := generated(t)
		for e := range train.Values {
			train.Values[e] *= scale
		}
		c := task.Completion{Train: train, Center: dataset.NoCentre}
		r, err := c.Fit(context.Background(), task.Options{Lambda: 1e-3, Square: true})
		if err == nil && (math.IsNaN(r.Model.Predict(0, 0)) || math.IsInf(r.Model.Predict(0, 0), 0)) {
			t.Errorf("%g: %v", scale, r.Model.Predict(0, 0))
		}
	}
}
