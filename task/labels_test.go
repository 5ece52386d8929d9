package task_test

import (
	"bytes"
	"math"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/warning"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// Two labels may be any: the smaller number or the first text is the negative one, the model keeps them, and predictions are in
// them.
func TestAnyTwoLabels(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}, {5, 7}, {2, -3}, {0, -1}, {1, 1}}
	opt := task.Options{Lambda: 0.1, Run: solver.Options{Tol: 1e-9}}
	fit := func(train *dataset.Rows) *task.LinearResult {
		return fitLinear(t, &task.Linear{Kind: task.Regression, Loss: task.Loss{Kind: task.Logistic}, Train: train}, opt)
	}
	want := fit(targetsOf(t, x, 1, -1, 1, -1, -1, 1)).Result.State.Cert.Objective
	for two, train := range map[[2]string]*dataset.Rows{
		{"1", "2"}:      targetsOf(t, x, 2, 1, 2, 1, 1, 2),
		{"-3.5", "1e9"}: targetsOf(t, x, 1e9, -3.5, 1e9, -3.5, -3.5, 1e9),
		{"0", "1"}:      targetsOf(t, x, 1, 0, 1, 0, 0, 1),
		{"no", "yes"}:   rowsOf(t, x, "yes", "no", "yes", "no", "no", "yes"),
		{"2", "10"}:     rowsOf(t, x, "10", "2.0", "10", "2", "2", "10"),
	} {
		if two[1] == "1e9" {
			two[1] = "1000000000"
		}
		r := fit(train)
		if got := r.Result.State.Cert.Objective; math.Abs(got-want) > 1e-8*want {
			t.Errorf("%v: the objective is %v, with signs %v", two, got, want)
		}
		if !slices.Equal(r.Classes.Classes, two[:]) {
			t.Errorf("the classes are %v, want %v", r.Classes.Classes, two)
		}
		var file bytes.Buffer
		if err := r.Model.Write(&file); err != nil {
			t.Fatal(err)
		}
		m, err := model.Read(&file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := task.NewPredictor(m)
		if err != nil {
			t.Fatal(err)
		}
		all, err := p.Predict(rowsOf(t, x, two[1], two[0], two[1], two[0], two[0], two[1]))
		if err != nil {
			t.Fatal(err)
		}
		_, got := all.Measure()
		if a := got.(*task.ClassScores).Accuracy; a != r.Classes.Accuracy {
			t.Errorf("%v: accuracy %v of the saved model, %v of the fit", two, a, r.Classes.Accuracy)
		}
		if low, _ := p.Label(-1); low != two[0] {
			t.Errorf("a negative score is %q, want %q", low, two[0])
		}
	}
	lone := fit(rowsOf(t, x, "a", "b", "b", "b", "b", "b"))
	if !slices.Contains(lone.Warnings, task.Warning(warning.LoneLabel{Name: "the rows", Label: "a"})) {
		t.Errorf("warnings %v do not have the label that occurs once", lone.Warnings)
	}
}

// Rows in LIBSVM's format have a label, which is none of several targets: predictions do without.
func TestPredictTargetsOfLIBSVM(t *testing.T) {
	x := [][]float64{{1, 2}, {3, 4}, {5, 7}}
	r := fitLinear(t, &task.Linear{Kind: task.Regression, Train: targetsOf(t, x, 1, 2, 3, 4, 5, 6)}, task.Options{Lambda: 0.1})
	p, err := task.NewPredictor(r.Model)
	if err != nil {
		t.Fatal(err)
	}
	for _, label := range []string{"0", "none"} {
		rows := rowsOf(t, x[:1], label)
		rows.LIBSVM = true
		all, err := p.Predict(rows)
		if err != nil || len(all.Z) != 2 {
			t.Errorf("label %s: %v", label, err)
		}
	}
}
