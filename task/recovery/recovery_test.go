package recovery_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
	"github.com/seed-b18ef778/gcg/task/recovery"
)

type gcgProblem = gcg.Problem

// entries are ratings of texts.
func entries(t *testing.T, list ...dataset.Rating) *dataset.Ratings {
	t.Helper()
	r, err := dataset.FromSlice(list)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// What the data does not allow is refused, with the place and what is allowed.
func TestRefused(t *testing.T) {
	one := entries(t, dataset.Rating{User: "1", Item: "2", Value: 3}, dataset.Rating{User: "4", Item: "1", Value: 1})
	for want, task := range map[string]*recovery.Task{
		"needs Train": {},
		"from 1 to 3": {Train: one, Shape: [2]int{3, 3}},
		"λ₁":          {Train: one, L1: -1},
		"not 4×3":     {Train: one, Shape: [2]int{4, 3}, Cone: recovery.Semidefinite},
		"already rated": {Train: entries(t, dataset.Rating{User: "1", Item: "2", Value: 3},
			dataset.Rating{User: "1", Item: "2", Value: 4})},
	} {
		if _, err := task.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}

// Entries are numbered from 0 where one is, and rows without entries are 0 in the model.
func TestShape(t *testing.T) {
	tk := &recovery.Task{Train: entries(t, dataset.Rating{User: "0", Item: "1", Value: 3},
		dataset.Rating{User: "3", Item: "1", Value: 2}),
		Shape: [2]int{5, 4}, L1: 0.1}
	res, err := tk.Fit(context.Background(), task.Options{Lambda: 0.05})
	if err != nil {
		t.Fatal(err)
	}
	m := res.Model
	if m.Rows != 5 || m.Cols != 4 || m.RowIDs[4] != "4" || m.Predict(1, 1) != 0 || !(m.Predict(0, 1) > 2) {
		t.Errorf("%d×%d, last row %q, %v and %v", m.Rows, m.Cols, m.RowIDs[4], m.Predict(1, 1), m.Predict(0, 1))
	}
}

// λ is chosen on a validation part, and by folds.
func TestChosen(t *testing.T) {
	for _, folds := range []int{0, 3} {
		tk := &recovery.Task{Train: paper(40, 0.5, 9), L1: 1e-5, Split: dataset.Split{Fraction: 0.8, Seed: 1}}
		res, err := tk.Fit(context.Background(), task.Options{Points: 6, Folds: folds})
		if err != nil {
			t.Fatal(err)
		}
		if !(res.Lambda > 0) || !res.Tested || !(res.Errors.RMSE() < 0.1) {
			t.Errorf("%d folds: λ = %v, RMSE %v", folds, res.Lambda, res.Errors.RMSE())
		}
	}
}

// Two groups of nodes with edges within each: the missing links within groups are found, and the nodes keep their names.
func TestGraph(t *testing.T) {
	var list []dataset.Rating
	name := func(i int) string { return string(rune('a' + i)) }
	for i := range 12 {
		for j := range i {
			if i%2 == j%2 && (i*j+i)%5 != 1 {
				list = append(list, dataset.Rating{User: name(i), Item: name(j), Value: 1})
			}
		}
	}
	g := &recovery.Graph{Edges: entries(t, list...), Split: 0.9, Seed: 3}
	res, err := g.Fit(context.Background(), task.Options{Lambda: 0.01, Run: solver.Options{Tol: 1e-6}}, 3)
	if err != nil {
		t.Fatal(err)
	}
	if res.Ranked.AUC < 0.9 || len(res.Links) != 3 || math.Abs(res.Result.State.Cert.Relative) > 1e-6 {
		t.Errorf("AUC %v, links %v, gap %v", res.Ranked.AUC, res.Links, res.Result.State.Cert.Relative)
	}
	for i, l := range res.Links {
		if (l.From[0]-l.To[0])%2 != 0 || i > 0 && l.Score > res.Links[i-1].Score {
			t.Errorf("link %d: %v", i, l)
		}
	}
}

// Bad edges are refused by the names of their nodes; both directions of one edge are one.
func TestBadGraph(t *testing.T) {
	ab, ba := dataset.Rating{User: "a", Item: "b", Value: 1}, dataset.Rating{User: "b", Item: "a", Value: 1}
	heavy := dataset.Rating{User: "b", Item: "a", Value: 2}
	loop := dataset.Rating{User: "a", Item: "a", Value: 1}
	for want, g := range map[string]*recovery.Graph{
		"needs Edges":        {},
		"stands twice":       {Edges: entries(t, ab, ab)},
		"other: give one":    {Edges: entries(t, ab, heavy)},
		"loops alone":        {Edges: entries(t, loop)},
		"that the graph":     {Edges: entries(t, ab), Test: entries(t, dataset.Rating{User: "x", Item: "y", Value: 1})},
		"a link to be found": {Edges: entries(t, ab), Test: entries(t, ba)},
	} {
		if _, err := g.Prepare(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	g := &recovery.Graph{Edges: entries(t, ab, ba, loop)}
	if p, err := g.Prepare(); err != nil || p.Count() != 1 || p.Loops != 1 {
		t.Errorf("%+v: %v", p, err)
	}
}
