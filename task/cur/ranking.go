package cur

import (
	"cmp"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/columns"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
	"github.com/seed-b18ef778/gcg/solver"
	"github.com/seed-b18ef778/gcg/task"
)

// A Chosen row or column of D.
type Chosen struct {
	Index     int     `json:"-"` // from 0
	Name      string  `json:"name"`
	Weight    float64 `json:"weight,omitempty"`    // the largest entry by size of its line of W; 0 of a choice by a Rule
	Tied      int     `json:"tied,omitempty"`      // how many lines have this weight or score, itself too; 0 where it is alone
	Level     float64 `json:"-"`                   // the largest weight or leverage score of those tied with it; 0 by QR and Greedy
	Explained bool    `json:"explained,omitempty"` // those before explain it wholly
}

// A Ranking is the rows and columns of D that W selects, the heaviest first. Of lines of the same weight the first is that which
// explains most of what those before leave of D, where D is known. Lines that those before explain wholly, such as equal ones,
// come after all others. The order is the same whatever that of the rows of D, but for rows that are equal.
type Ranking struct{ Rows, Columns []Chosen }

// Ranking is that of a W of the problem.
func (p *Prepared) Ranking(s *gcg.State) Ranking {
	r := p.weights(s.W)
	tie := tieOf(s.Cert.Relative)
	d, turned := p.matrix(), p.transposed()
	r.Rows = ordered(r.Rows, turned, tie, len(r.Rows), p.byNumbers)
	r.Columns = ordered(r.Columns, d, tie, len(r.Columns), cmp.Compare)
	return p.named(r)
}

// byNumbers puts rows in an order that is the same whatever that of the rows of D, but for equal ones.
func (p *Prepared) byNumbers(a, b int) int {
	d := p.matrix()
	return cmp.Or(slices.Compare(d.Data[b*d.Q:(b+1)*d.Q], d.Data[a*d.Q:(a+1)*d.Q]), cmp.Compare(a, b))
}

// named gives a ranking the names of its lines.
func (p *Prepared) named(r Ranking) Ranking {
	for i := range r.Rows {
		r.Rows[i].Name = p.task.D.RowName(r.Rows[i].Index)
	}
	for i := range r.Columns {
		r.Columns[i].Name = p.task.D.ColumnName(r.Columns[i].Index)
	}
	return r
}

// weights are the rows and columns of D that W selects, by their weights alone.
func (p *Prepared) weights(w *gcg.Iterate) Ranking {
	rows, cols, vals := w.Entries()
	if p.turned {
		return Ranking{weighed(rows, vals, p.q), weighed(cols, vals, p.p)}
	}
	return Ranking{weighed(cols, vals, p.p), weighed(rows, vals, p.q)}
}

// weighed are the lines that are not 0, by their largest entries.
func weighed(lines []int32, vals []float64, n int) (all []Chosen) {
	top := make([]float64, n)
	for e, i := range lines {
		top[i] = math.Max(top[i], math.Abs(vals[e]))
	}
	for i, v := range top {
		if v > 0 {
			all = append(all, Chosen{Index: i, Weight: v})
		}
	}
	return heaviest(all)
}

// heaviest sorts a list by weight.
func heaviest(all []Chosen) []Chosen {
	slices.SortStableFunc(all, func(a, b Chosen) int { return cmp.Compare(b.Weight, a.Weight) })
	return all
}

// Weights nearer than a part of the larger one are tied: F changes by the square of a move of W, so that a fit to a relative gap
// tells weights apart by its root. leastTie is what rounding leaves.
const leastTie, mostTie = 1e-9, 0.05

func tieOf(gap float64) float64 {
	return math.Max(leastTie, math.Min(mostTie, math.Sqrt(math.Max(gap, 0))))
}

// tied parts a list by weight into levels of equal weight, the heaviest first, by the places of their lines. It notes the number
// of lines of each.
func tied(all []Chosen, tie float64) (levels [][]int) {
	for from := 0; from < len(all); {
		to, level := from+1, []int{all[from].Index}
		for ; to < len(all) && all[from].Weight-all[to].Weight <= tie*all[from].Weight; to++ {
			level = append(level, all[to].Index)
		}
		for i := from; i < to; i++ {
			all[i].Level = all[from].Weight
			if to > from+1 {
				all[i].Tied = to - from
			}
		}
		levels, from = append(levels, level), to
	}
	return levels
}

// ordered breaks the ties of a list by weight, whose lines are columns of d. It leaves out the levels beyond the first k lines.
func ordered(all []Chosen, d columns.Matrix, tie float64, k int, before func(a, b int) int) (out []Chosen) {
	levels, at := tied(all, tie), map[int]Chosen{}
	for n, i := 0, 0; i < len(levels); i++ {
		if n += len(levels[i]); n >= k {
			levels = levels[:i+1]
		}
	}
	for _, c := range all {
		at[c.Index] = c
	}
	order, spare := columns.Ranked(d, levels, before)
	for k, i := range order {
		c := at[i]
		c.Explained = k >= spare
		out = append(out, c)
	}
	return out
}

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
func (p *Prepared) Model(f *selection.Fitting, r *solver.Result) *model.Model {
	t := p.task
	w := r.State.W
	rows, cols, vals := w.Entries()
	if p.turned {
		rows, cols = cols, rows
	}
	m := &model.Model{Problem: "cur", Rows: t.D.Cols, Cols: t.D.Rows, Entries: &model.Entries{Rows: rows, Cols: cols, Values: vals}}
	m.Info = task.InfoOf(f, r, false)
	m.Info.Loss, m.Info.Gauge, m.Info.Observations, m.Info.Data = "squared", "rows-columns", t.D.Rows*t.D.Cols, t.Name
	for j := range t.D.Cols {
		m.RowIDs = append(m.RowIDs, t.D.ColumnName(j))
	}
	for i := range t.D.Rows {
		m.ColIDs = append(m.ColIDs, t.D.RowName(i))
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

// RankingOf is the ranking of a saved model. It says which lines are tied, and leaves them in the order of the data, which alone
// could tell them apart.
func RankingOf(m *model.Model) Ranking {
	r := Ranking{weighed(m.Entries.Cols, m.Entries.Values, m.Cols), weighed(m.Entries.Rows, m.Entries.Values, m.Rows)}
	gap := 0.0
	if g := m.Info.RelativeGap; g != nil {
		gap = *g
	}
	for _, side := range []struct {
		all   []Chosen
		names []string
	}{{r.Rows, m.ColIDs}, {r.Columns, m.RowIDs}} {
		from := 0
		for _, level := range tied(side.all, tieOf(gap)) {
			part := side.all[from : from+len(level)]
			slices.SortFunc(part, func(a, b Chosen) int { return cmp.Compare(a.Index, b.Index) })
			from += len(level)
		}
		for i := range side.all {
			side.all[i].Name = side.names[side.all[i].Index]
		}
	}
	return r
}
