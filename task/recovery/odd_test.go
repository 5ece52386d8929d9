package recovery_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

// byHand are entries that a program puts together, without a shape.
func byHand(values ...float64) *dataset.Ratings {
	r := &dataset.Ratings{Name: "hand", RowIDs: dataset.NewIDs([]string{"a", "b", "c"}), ColIDs: dataset.NewIDs([]string{"x", "y"}),
		Values: values}
	for e := range values {
		r.Rows, r.Cols = append(r.Rows, int32(e/2)), append(r.Cols, int32(e%2))
	}
	return r
}

// Entries that do not go together are refused by name, and values that are no numbers with their place.
func TestNoEntries(t *testing.T) {
	short, beyond := byHand(1, 2, 3), byHand(1, 2, 3)
	short.Cols, beyond.Rows[1] = short.Cols[:1], 7
	for want, r := range map[string]*dataset.Ratings{
		"needs Train":                {},
		"need RowIDs":                {Values: []float64{1}, Rows: []int32{0}, Cols: []int32{0}},
		"3 rows, 1 columns":          short,
		"row 7, column 1":            beyond,
		"the value NaN":              byHand(1, math.NaN()),
		"the value +Inf":             byHand(math.Inf(1)),
		"the value 1e+200 is not fi": byHand(1e200, 1),
	} {
		_, err := (&recovery.Task{Train: r}).Fit(context.Background(), task.Options{Lambda: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
		if _, err := (&recovery.Graph{Edges: r}).Fit(context.Background(), task.Options{Lambda: 1}, 3); err == nil {
			t.Errorf("%s: a graph takes it", want)
		}
	}
}

// The width of Huber's loss is 1 where none is given, and the smoothed problem wants a method that is for it.
func TestUsualLossAndMethod(t *testing.T) {
	train := byHand(1, 2, 3, -4, 5, 60)
	of := func(tk recovery.Task) float64 {
		tk.Train, tk.L1 = train, 0.01
		r, err := tk.Fit(context.Background(), task.Options{Lambda: 0.1, Run: solver.Options{MaxIter: 3000}})
		if err != nil {
			t.Fatal(err)
		}
		return r.Result.State.Cert.Objective
	}
	huber := recovery.Task{Loss: task.Loss{Kind: task.Huber}}
	if a, b := of(huber), of(recovery.Task{Loss: task.Loss{Kind: task.Huber, Mu: 1}}); a != b {
		t.Errorf("Huber's loss without a width is %v, and with 1 %v", a, b)
	}
	_, err := (&recovery.Task{Train: train, L1: 0.01, Smoothed: true}).Fit(context.Background(), task.Options{Lambda: 0.1})
	if err == nil || !strings.Contains(err.Error(), "a Method of Options") {
		t.Errorf("smoothed, without a method: %v", err)
	}
	for _, part := range []float64{math.NaN(), 1, -0.5} {
		if _, err := (&recovery.Graph{Edges: train, Split: part}).Prepare(); err == nil || !strings.Contains(err.Error(), "Split is") {
			t.Errorf("Split %v: %v", part, err)
		}
	}
}

// Zeros, one value and one entry are solved. Every fit reads all fields anew, and writes none of them.
func TestLittleDataAndFields(t *testing.T) {
	for _, values := range [][]float64{{0, 0, 0, 0, 0, 0}, {2, 2, 2, 2, 2, 2}, {3}, {1e-200, 1e-200}} {
		for _, opt := range []task.Options{{Lambda: 0.1}, {Zeta: 1}} {
			res, err := (&recovery.Task{Train: byHand(values...), L1: 0.01}).Fit(context.Background(), opt)
			if err != nil || res.Result.Status != solver.Converged {
				t.Errorf("%v: %v", values, err)
			}
		}
	}
	train := byHand(1, 2, 3, 4, 5, 7)
	fit := func(r *recovery.Task) float64 {
		res, err := r.Fit(context.Background(), task.Options{Lambda: 0.1, Run: solver.Options{Tol: 1e-6}})
		if err != nil {
			t.Fatal(err)
		}
		return res.Result.State.Cert.Objective
	}
	r := &recovery.Task{Train: train}
	fit(r)
	r.L1, r.Normalize, r.Split = 0.2, task.Sum, dataset.Split{Fraction: 0.5}
	if a, b := fit(r), fit(&recovery.Task{Train: train, L1: 0.2, Normalize: task.Sum, Split: dataset.Split{Fraction: 0.5}}); a != b {
		t.Errorf("after a change of fields the objective is %v, where a fresh task has %v", a, b)
	}
	if r.Train != train || r.Test != nil || r.Shape != [2]int{} || train.Shape != [2]int{} {
		t.Errorf("the fits wrote to the task: %+v", r)
	}
}
