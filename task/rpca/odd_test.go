package rpca_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/rpca"
)

// What is no matrix is refused by name, and numbers that are none with their place.
func TestNoMatrix(t *testing.T) {
	for want, tk := range map[string]*rpca.Task{
		"needs rows and columns": {},
		"D: has 2 numbers":       {Name: "D", Rows: 4, Cols: 3, Values: []float64{1, 2}},
		"D: 2 offsets":           {Name: "D", Rows: 4, Cols: 3, Ptr: []int64{0, 1}, Index: []int32{0}, Values: []float64{1}},
		"D: row 1 has column 7":  {Name: "D", Rows: 1, Cols: 3, Ptr: []int64{0, 1}, Index: []int32{7}, Values: []float64{1}},
		"D: the offsets of row 1": {Name: "D", Rows: 2, Cols: 3, Ptr: []int64{0, 5, 1}, Index: []int32{1},
			Values: []float64{1}},
		"D: has no entries":           {Name: "D", Rows: 1, Cols: 3, Ptr: []int64{0, 0}},
		"D: row 2, column 1: is NaN":  {Name: "D", Rows: 2, Cols: 1, Values: []float64{1, math.NaN()}},
		"D: row 1, column 1: is -Inf": {Name: "D", Rows: 1, Cols: 1, Values: []float64{math.Inf(-1)}, Equal: true},
		"D: row 1, column 2: is 1e+200; beyond": {Name: "D", Rows: 1, Cols: 2, Values: []float64{1, 1e200},
			L1: 1},
		"D: has 1 ids of 2 rows": {Name: "D", Rows: 2, Cols: 1, Values: []float64{1, 2}, RowIDs: []string{"a"}},
	} {
		_, err := tk.Fit(context.Background(), task.Options{Lambda: 1})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Every fit reads all fields anew, and writes none of them.
func TestFitReadsAllFields(t *testing.T) {
	d, _ := corrupted(12, 9, 2, 0.1, 0.02)
	whole := slices.Clone(d)
	fit := func(tk *rpca.Task, opt task.Options) *rpca.Result {
		opt.Run = solver.Options{Tol: 1e-6}
		res, err := tk.Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	fresh := func() *rpca.Task { return &rpca.Task{Name: "D", Rows: 12, Cols: 9, Values: d} }
	tk := fresh()
	first := fit(tk, task.Options{Lambda: 0.5})
	objective := first.Result.State.Cert.Objective
	again := fit(tk, task.Options{Lambda: 1})
	if want := fit(fresh(), task.Options{Lambda: 1}); again.L1 != want.L1 ||
		again.Result.State.Cert.Objective != want.Result.State.Cert.Objective {
		t.Errorf("another λ has λ₁ = %v and %v, where a fresh task has %v and %v", again.L1, again.Result.State.Cert.Objective, want.L1,
			want.Result.State.Cert.Objective)
	}
	tk.Equal = true
	equal := fresh()
	equal.Equal = true
	if a, b := fit(tk, task.Options{}), fit(equal, task.Options{}); a.Result.State.Cert.Objective != b.Result.State.Cert.Objective {
		t.Errorf("L + S = D costs %v, where a fresh task has %v", a.Result.State.Cert.Objective, b.Result.State.Cert.Objective)
	}
	if tk.L1 != 0 || !slices.Equal(d, whole) || first.Result.State.Cert.Objective != objective {
		t.Errorf("the fits wrote to the task or to the first result: λ₁ = %v", tk.L1)
	}
}
