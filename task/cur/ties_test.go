package cur_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/testproblem"
	"github.com/seed-b18ef778/gcg/solver"
	task "github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/cur"
)

// repeated has each of some rows so many times, one kind after the other.
func repeated(kinds [][]float64, times []int) *dataset.Matrix {
	d := &dataset.Matrix{Cols: len(kinds[0])}
	for k, row := range kinds {
		for range times[k] {
			d.Dense = append(d.Dense, row...)
			d.Rows++
		}
	}
	return d
}

// tables are matrices whose lines have equal weights.
func tables() map[string]*dataset.Matrix {
	return map[string]*dataset.Matrix{
		"categories": repeated([][]float64{{1, 0, 0, 0, 0}, {0, 1, 0, 0, 0}, {0, 0, 1, 0, 0}, {0, 0, 0, 1, 0}, {0, 0, 0, 0, 1}},
			[]int{12, 8, 10, 12, 18}),
		"votes": repeated([][]float64{{1, -1, 1, -1, 1, 1}, {-1, -1, 1, 1, -1, 1}, {1, 1, -1, -1, 1, 1}}, []int{20, 21, 19}),
		"equal": repeated([][]float64{{1, 2, 3}}, []int{40}),
		"wide":  repeated([][]float64{{1, 0, 1, 0, 1, 0, 1, 1}, {0, 1, 0, 1, 0, 1, 0, 0}}, []int{2, 2}),
		"free":  {Rows: 12, Cols: 25, Dense: testproblem.FactorMatrix(5, 12, 25, 12)},
	}
}

// selected is the selection of D in the order of its rows: the numbers of the rows, and the names of the columns.
func selected(t *testing.T, name string, d *dataset.Matrix) (*cur.Prepared, cur.Ranking) {
	t.Helper()
	p := prepared(t, &cur.Task{D: d, Name: name})
	s, err := task.Solve(context.Background(), p, task.Options{LambdaRatio: 0.002, Run: solver.Options{Tol: 1e-3}})
	if err != nil {
		t.Fatal(err)
	}
	if r := p.Ranking(s.Result.State); s.Result.Status == solver.Converged && len(r.Rows) > 0 && len(r.Columns) > 0 {
		return p, r
	}
	t.Fatalf("%s: %s at a gap of %v", name, s.Result.Status, s.Result.State.Cert.Relative)
	return nil, cur.Ranking{}
}

// Tables of few different rows have a selection, whose first lines explain all that can be.
func TestFewDifferentRows(t *testing.T) {
	for name, rank := range map[string]int{"categories": 5, "votes": 3, "equal": 1, "wide": 2} {
		p, r := selected(t, name, tables()[name])
		x, err := p.CUR(cur.Top(r.Rows, rank), cur.Top(r.Columns, rank))
		if err != nil {
			t.Fatal(err)
		}
		if e := p.ErrorOf("", x); e.CUR > 1e-7 {
			t.Errorf("%s: the first %d leave %+v", name, rank, e)
		}
		for k, c := range r.Rows {
			if c.Explained != (k >= rank) {
				t.Errorf("%s: row %d of the ranking is said to be explained: %v", name, k+1, c.Explained)
			}
		}
		if r.Rows[0].Tied < 2 {
			t.Errorf("%s: ties are not said: %+v", name, r.Rows[0])
		}
	}
}

// The ranking is the same for any order of the rows, but for rows that are equal.
func TestAnyOrderOfRows(t *testing.T) {
	anyOrder(t, func(name string, d *dataset.Matrix) cur.Ranking {
		_, r := selected(t, name, d)
		return r
	})
}

// So is the choice by each rule, and what it is worth. Ties are said.
func TestAnyOrderOfRowsByRules(t *testing.T) {
	for _, rule := range []cur.Rule{cur.Leverage, cur.QR, cur.Greedy} {
		anyOrder(t, func(name string, d *dataset.Matrix) cur.Ranking {
			p := prepared(t, &cur.Task{D: d, Name: name})
			r, err := p.By(rule, 3, 4)
			if err != nil {
				t.Fatal(err)
			}
			if name != "free" && r.Rows[0].Tied < 2 {
				t.Errorf("%s by %s: ties are not said: %+v", name, rule, r.Rows[0])
			}
			return r
		})
	}
}

// Rows of the same leverage are taken by what they explain: here one of each kind, whose scores are all the same.
func TestTiesOfLeverage(t *testing.T) {
	p := prepared(t, &cur.Task{D: repeated([][]float64{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}, []int{5, 5, 5}), Name: "D"})
	r, err := p.By(cur.Leverage, 3, 3)
	if err != nil {
		t.Fatal(err)
	}
	x, err := p.CUR(cur.Top(r.Rows, 3), cur.Top(r.Columns, 3))
	if err != nil || p.ErrorOf("", x).CUR > 1e-7 || r.Rows[0].Tied != 15 || r.Columns[0].Tied != 3 {
		t.Errorf("%+v, %v", r, err)
	}
}

// anyOrder asks for the ranking of each table in other orders of its rows.
func anyOrder(t *testing.T, ranking func(name string, d *dataset.Matrix) cur.Ranking) {
	t.Helper()
	rng := rand.New(rand.NewPCG(3, 8))
	for name, d := range tables() {
		said := func(d *dataset.Matrix) (all []string) {
			r := ranking(name, d)
			for _, c := range r.Rows {
				all = append(all, fmt.Sprint(d.Dense[c.Index*d.Cols:(c.Index+1)*d.Cols], c.Tied, c.Explained))
			}
			for _, c := range r.Columns {
				all = append(all, fmt.Sprint(c.Name, c.Tied, c.Explained))
			}
			return all
		}
		want := said(d)
		for range 8 {
			other := &dataset.Matrix{Rows: d.Rows, Cols: d.Cols}
			for _, i := range rng.Perm(d.Rows) {
				other.Dense = append(other.Dense, d.Dense[i*d.Cols:(i+1)*d.Cols]...)
			}
			if got := said(other); !slices.Equal(got, want) {
				t.Errorf("%s:\n%v of other rows, not\n%v", name, got, want)
			}
		}
	}
}

// The rules choose independent lines, and no other rule is taken.
func TestRules(t *testing.T) {
	p := prepared(t, &cur.Task{D: tables()["votes"], Name: "votes"})
	for _, rule := range []cur.Rule{cur.QR, cur.Greedy} {
		r, err := p.By(rule, 3, 3)
		if err != nil {
			t.Fatal(err)
		}
		x, err := p.CUR(cur.Top(r.Rows, 3), cur.Top(r.Columns, 3))
		if err != nil || p.ErrorOf("", x).CUR > 1e-7 {
			t.Errorf("%s: %v and %v, %v", rule, r.Rows, r.Columns, err)
		}
	}
	if _, err := p.By("chance", 3, 3); err == nil {
		t.Error("a rule of no name is taken")
	}
}
