package cur

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/solver"
)

// A Chosen row or column of D.
type Chosen struct {
	Index  int     `json:"-"` // from 0
	Name   string  `json:"name"`
	Weight float64 `json:"weight"` // the largest entry by size of its line of W
}

// A Ranking is the rows and columns of D that W selects, the heaviest first. Lines of the same weight, of which there are many
// near λ_max, come by the sum of their entries.
type Ranking struct{ Rows, Columns []Chosen }

// Ranking is that of a W of the problem.
func (p *Prepared) Ranking(w *gcg.Iterate) Ranking {
	t := p.task
	rows, cols, vals := w.Entries()
	upper := rank(cols, vals, p.p)
	lower := rank(rows, vals, p.q)
	r := Ranking{upper, lower}
	if p.turned {
		r = Ranking{lower, upper}
	}
	for i := range r.Rows {
		r.Rows[i].Name = t.RowName(r.Rows[i].Index)
	}
	for i := range r.Columns {
		r.Columns[i].Name = t.ColumnName(r.Columns[i].Index)
	}
	return r
}

// rank orders lines by their largest entries, and those alike by the sums of theirs.
func rank(lines []int32, vals []float64, n int) (all []Chosen) {
	top, sum := make([]float64, n), make([]float64, n)
	for e, i := range lines {
		v := math.Abs(vals[e])
		top[i], sum[i] = math.Max(top[i], v), sum[i]+v
	}
	for i, v := range top {
		if v > 0 {
			all = append(all, Chosen{Index: i, Weight: v})
		}
	}
	slices.SortStableFunc(all, func(a, b Chosen) int {
		if math.Abs(a.Weight-b.Weight) > alike*math.Max(a.Weight, b.Weight) {
			return cmp.Compare(b.Weight, a.Weight)
		}
		return cmp.Compare(sum[b.Index], sum[a.Index])
	})
	return all
}

// alike is the relative difference of weights that the solver leaves between lines of one level.
const alike = 1e-9

// Top are the first k of a list, by their places.
func Top(all []Chosen, k int) (places []int) {
	for _, c := range all[:min(k, len(all))] {
		places = append(places, c.Index)
	}
	return places
}

// Lines are the rows and the columns of D that a W with so many rows and columns is a selection of.
func (p *Prepared) Lines(w [2]int) (rows, cols int) {
	if p.turned {
		return w[0], w[1]
	}
	return w[1], w[0]
}

// Model is W with the names of the columns of D for its rows, and of the rows of D for its columns.
func (p *Prepared) Model(r *solver.Result) *model.Model {
	t := p.task
	w := r.State.W
	rows, cols, vals := w.Entries()
	if p.turned {
		rows, cols = cols, rows
	}
	m := &model.Model{Problem: "cur", Rows: t.D.Cols, Cols: t.D.Rows, Entries: &model.Entries{Rows: rows, Cols: cols, Values: vals}}
	for j := range t.D.Cols {
		m.RowIDs = append(m.RowIDs, t.ColumnName(j))
	}
	for i := range t.D.Rows {
		m.ColIDs = append(m.ColIDs, t.RowName(i))
	}
	if p.turned {
		sortEntries(m.Entries)
	}
	return m
}

// sortEntries puts entries in the order of rows, and of columns within.
func sortEntries(e *model.Entries) {
	order := make([]int, len(e.Values))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(e.Rows[a], e.Rows[b]), cmp.Compare(e.Cols[a], e.Cols[b]))
	})
	rows, cols, vals := slices.Clone(e.Rows), slices.Clone(e.Cols), slices.Clone(e.Values)
	for i, o := range order {
		e.Rows[i], e.Cols[i], e.Values[i] = rows[o], cols[o], vals[o]
	}
}

// RankingOf is the ranking of a saved model.
func RankingOf(m *model.Model) Ranking {
	r := Ranking{rank(m.Entries.Cols, m.Entries.Values, m.Cols), rank(m.Entries.Rows, m.Entries.Values, m.Rows)}
	for i := range r.Rows {
		r.Rows[i].Name = m.ColIDs[r.Rows[i].Index]
	}
	for i := range r.Columns {
		r.Columns[i].Name = m.RowIDs[r.Columns[i].Index]
	}
	return r
}
