package dataset

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// Rows of slices are those of a file, and what does not fit is refused with its place.
func TestRowsOfSlices(t *testing.T) {
	r, err := NewRows([][]float64{{1, 2}, {3, 4}, {5, 6}})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.SetTasks([]string{"b", "a", "b"}); err != nil || !slices.Equal(r.Task, []int32{0, 1, 0}) ||
		!slices.Equal(r.Tasks, []string{"b", "a"}) {
		t.Errorf("tasks %v of %v, %v", r.Task, r.Tasks, err)
	}
	if err := r.SetTargets([]float64{1, 2, 3, 4, 5, 6}); err != nil || r.Targets.Cols != 2 ||
		!slices.Equal(r.X.Dense, []float64{1, 2, 3, 4, 5, 6}) {
		t.Errorf("targets %+v, %v", r.Targets, err)
	}
	for want, try := range map[string]func() error{
		"row 2 has 1 features":          func() error { _, err := NewRows([][]float64{{1, 2}, {3}}); return err },
		"row 1, feature 2 is -Inf":      func() error { _, err := NewRows([][]float64{{1, math.Inf(-1)}}); return err },
		"4 targets are not the same":    func() error { return r.SetTargets([]float64{1, 2, 3, 4}) },
		"0 targets are not the same":    func() error { return r.SetTargets(nil) },
		"target 3 is +Inf":              func() error { return r.SetTargets([]float64{1, 2, math.Inf(1)}) },
		"2 tasks are not one for each ": func() error { return r.SetTasks([]string{"a", "b"}) },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// Rows of a second file come behind those of the first, which count features alike from then on.
func TestAppendedRows(t *testing.T) {
	a := &Rows{Name: "a", XName: "a", LIBSVM: true,
		X: &Matrix{Rows: 1, Cols: 1, Ptr: []int64{0, 1}, Index: []int32{0}, Values: []float64{7}}, Targets: columnOf([]float64{1})}
	b := &Rows{Name: "b", XName: "b", LIBSVM: true, ZeroBased: true,
		X:       &Matrix{Rows: 2, Cols: 3, Ptr: []int64{0, 1, 3}, Index: []int32{0, 1, 2}, Values: []float64{4, 5, 6}},
		Targets: columnOf([]float64{2, 3})}
	if err := a.Append(b); err != nil {
		t.Fatal(err)
	}
	a.X.Densify("x")
	if !a.ZeroBased || !slices.Equal(a.X.Dense, []float64{0, 7, 0, 4, 0, 0, 0, 5, 6}) ||
		!slices.Equal(a.Targets.Dense, []float64{1, 2, 3}) || a.Targets.Rows != 3 {
		t.Errorf("%+v, targets %v", a.X, a.Targets.Dense)
	}
	if at := a.AnswerAt(2); at != "b: row 2" {
		t.Errorf("row 3 of both is said to be %s", at)
	}
	if err := a.Append(&Rows{Name: "c", XName: "c", X: &Matrix{Rows: 1, Cols: 3, Dense: []float64{1, 2, 3}}}); err == nil {
		t.Error("rows of another format were appended")
	}
}
