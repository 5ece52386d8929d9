package spca_test

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/spca"
)

// What is no matrix is refused by name, and numbers that are none with their place.
func TestNoMatrix(t *testing.T) {
	for want, x := range map[string]*dataset.Matrix{
		"X: is no matrix":                {},
		"X: has 2 numbers":               {Rows: 4, Cols: 3, Dense: []float64{1, 2}},
		"X: 0 offsets":                   {Rows: 4, Cols: 3},
		"X: row 1 has column 7":          {Rows: 2, Cols: 2, Ptr: []int64{0, 1, 1}, Index: []int32{7}, Values: []float64{1}},
		"X: row 2, column 1: is NaN":     {Rows: 2, Cols: 2, Dense: []float64{1, 2, math.NaN(), 1}},
		"X: row 1, column 2: is +Inf":    {Rows: 2, Cols: 2, Dense: []float64{1, math.Inf(1), 2, 1}},
		"X: row 1, column 1: is 1e+200;": {Rows: 2, Cols: 2, Dense: []float64{1e200, 2, 2, 1}},
	} {
		for _, s := range []*spca.Task{{Name: "X", Features: x}, {Name: "X", Covariance: x}} {
			if _, err := s.Fit(context.Background(), task.Options{}); err == nil || !strings.HasPrefix(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
	for want, s := range map[string]*spca.Task{
		"either a covariance or features": {},
		"X: no variable varies":           {Name: "X", Features: &dataset.Matrix{Rows: 2, Cols: 2, Dense: []float64{3, 4, 3, 4}}},
		"X: has 1 rows":                   {Name: "X", Features: &dataset.Matrix{Rows: 1, Cols: 2, Dense: []float64{3, 4}}},
	} {
		if _, err := s.Fit(context.Background(), task.Options{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Every fit reads all fields anew, and writes neither to them nor to the data: a covariance stays as asymmetric as it was.
func TestFitReadsAllFields(t *testing.T) {
	fit := func(s *spca.Task, opt task.Options) *spca.Result {
		r, err := s.Fit(context.Background(), opt)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	x := spiked(40, 8, 3)
	s := &spca.Task{Features: x, Name: "X"}
	first := fit(s, task.Options{LambdaRatio: 0.1})
	support := slices.Clone(first.Components[0].Support)
	s.Standardize, s.Nonzeros, s.Components = true, 3, 2
	again, fresh := fit(s, task.Options{}), fit(&spca.Task{Features: x, Standardize: true, Nonzeros: 3, Components: 2, Name: "X"},
		task.Options{})
	if len(again.Components) != 2 || again.Total != fresh.Total ||
		!slices.Equal(again.Components[1].Loading, fresh.Components[1].Loading) {
		t.Errorf("after a change of fields: %d components of %v, where a fresh task has %d of %v", len(again.Components), again.Total,
			len(fresh.Components), fresh.Total)
	}
	if !slices.Equal(first.Components[0].Support, support) {
		t.Error("the first result changed under its owner")
	}
	c := &dataset.Matrix{Rows: 2, Cols: 2, Dense: []float64{2, 1, 1 + 1e-9, 2}}
	fit(&spca.Task{Covariance: c, Name: "C"}, task.Options{Lambda: 0.1})
	if c.Dense[2] != 1+1e-9 {
		t.Error("the covariance was written to")
	}
	sparse := &dataset.Matrix{Rows: 2, Cols: 2, Ptr: []int64{0, 1, 2}, Index: []int32{0, 1}, Values: []float64{2, 1}}
	fit(&spca.Task{Covariance: sparse, Name: "C"}, task.Options{Lambda: 0.1})
	if sparse.Dense != nil {
		t.Error("the sparse covariance was made dense")
	}
}
