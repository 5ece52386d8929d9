package cur_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	task "github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
)

// What is no matrix is refused by name.
func TestNoMatrix(t *testing.T) {
	for want, d := range map[string]*dataset.Matrix{
		"D: is no matrix":                nil,
		"D: has 2 numbers":               {Rows: 4, Cols: 3, Dense: []float64{1, 2}},
		"D: 0 offsets":                   {Rows: 4, Cols: 3},
		"D: 2 offsets":                   {Rows: 4, Cols: 3, Ptr: []int64{0, 1}, Index: []int32{0}, Values: []float64{1}},
		"D: row 1 has column 7":          {Rows: 1, Cols: 3, Ptr: []int64{0, 1}, Index: []int32{7}, Values: []float64{1}},
		"D: the norm of the matrix is 0": {Rows: 1, Cols: 1, Dense: []float64{5e-324}},
	} {
		for _, unit := range []bool{false, true} {
			if _, err := (&cur.Task{D: d, Name: "D", UnitNorm: unit}).Prepare(); err == nil || !strings.HasPrefix(err.Error(), want) &&
				!strings.Contains(want, "norm") {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// One row, one column and constants are solved, at scales whose squares are out of range as well where D is divided by its norm.
func TestLittleData(t *testing.T) {
	for name, d := range map[string]*dataset.Matrix{
		"one row":    {Rows: 1, Cols: 3, Dense: []float64{1, 2, 3}},
		"one column": {Rows: 3, Cols: 1, Dense: []float64{1, 2, 3}},
		"one entry":  {Rows: 1, Cols: 1, Dense: []float64{2}},
		"constant":   {Rows: 3, Cols: 3, Dense: slices.Repeat([]float64{2}, 9)},
		"large":      {Rows: 2, Cols: 2, Dense: []float64{1e200, 2e200, 0, 1e200}},
		"small":      {Rows: 2, Cols: 2, Dense: []float64{1e-200, 2e-200, 0, 1e-200}},
	} {
		p := prepared(t, &cur.Task{D: d, Name: "D", UnitNorm: true})
		s, err := task.Solve(context.Background(), p, task.Options{LambdaRatio: 0.1})
		if err != nil || s.Result.State.Cert.Relative > 1e-3 || len(p.Ranking(s.Result.State).Rows) == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A task is read when it is prepared, and D is written neither to nor over.
func TestPreparedIsApart(t *testing.T) {
	d := &dataset.Matrix{Rows: 9, Cols: 5, Dense: testproblem.FactorMatrix(2, 9, 5, 3)}
	whole := slices.Clone(d.Dense)
	c := &cur.Task{D: d, Name: "D", UnitNorm: true}
	scaled := prepared(t, c)
	c.UnitNorm = false
	raw := prepared(t, c)
	objective := func(p *cur.Prepared) float64 {
		s, err := task.Solve(context.Background(), p, task.Options{LambdaRatio: 0.1})
		if err != nil {
			t.Fatal(err)
		}
		return s.Result.State.Cert.Objective
	}
	a, b := objective(scaled), objective(raw)
	if by := raw.Norm() * raw.Norm(); b < 0.99*by*a || b > 1.01*by*a || objective(scaled) != a {
		t.Errorf("with norm 1 the objective is %v, and %v of norm %v", a, b, raw.Norm())
	}
	if !slices.Equal(d.Dense, whole) {
		t.Error("D was written to")
	}
	sparse := &dataset.Matrix{Rows: 2, Cols: 2, Ptr: []int64{0, 1, 2}, Index: []int32{0, 1}, Values: []float64{2, 1}}
	prepared(t, &cur.Task{D: sparse})
	if sparse.Dense != nil {
		t.Error("the sparse D was made dense")
	}
}
