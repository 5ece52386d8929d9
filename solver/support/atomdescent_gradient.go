package support

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// attained is ⟨aᵢ, G⟩ for every term with a positive weight, in their order. G is multiplied once with the right vectors of
// all atoms of low rank, and each of its rows that a sparse one touches is read once.
func attained(p *view.Problem, s *gcg.State, terms []gcg.Term) []float64 {
	g := s.Gradient(p.Problem)
	values := make([]float64, 0, len(terms))
	k := 0
	for i := range terms {
		if t := &terms[i]; t.Weight > 0 && t.Atom.LowRank() {
			k += t.Atom.U.K
		}
	}
	gv := productsWith(g, terms, k)
	rows := &rowCache{g: g, rows: map[int32][]float64{}}
	u, v := make([]float64, s.W.M), make([]float64, s.W.M)
	at := 0
	for i := range terms {
		t := &terms[i]
		switch {
		case t.Weight <= 0:
		case t.Atom.LowRank():
			var sum float64
			for c := range t.Atom.U.K {
				t.Atom.U.ColumnTo(u, c)
				gv.ColumnTo(v, at)
				sum += kernel.Dot(u, v)
				at++
			}
			values = append(values, sum)
		default:
			values = append(values, rows.dot(&t.Atom))
		}
	}
	return values
}

// productsWith is G V (m×k), with the right vectors of all atoms of low rank that have a weight in the k columns of V.
func productsWith(g gcg.Map, terms []gcg.Term, k int) *gcg.Factor {
	m, n := g.Dims()
	gv, v := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	x := make([]float64, n)
	at := 0
	for i := range terms {
		t := &terms[i]
		if t.Weight <= 0 || !t.Atom.LowRank() {
			continue
		}
		for c := range t.Atom.V.K {
			t.Atom.V.ColumnTo(x, c)
			v.SetColumn(at, x, 1)
			at++
		}
	}
	if k > 0 {
		gcg.MulBlock(g, gv, v)
	}
	return gv
}

// A rowCache reads each row of G once.
type rowCache struct {
	g    gcg.Map
	rows map[int32][]float64
}

// dot is ⟨a, G⟩ for a sparse atom.
func (c *rowCache) dot(a *gcg.Atom) float64 {
	if !gcg.HasRows(c.g) {
		return a.Dot(c.g)
	}
	_, n := c.g.Dims()
	var sum float64
	for e, i := range a.Rows {
		row := c.rows[i]
		if row == nil {
			row = make([]float64, n)
			gcg.RowsTo(c.g, row, int(i))
			c.rows[i] = row
		}
		sum += a.Vals[e] * row[a.Cols[e]]
	}
	return sum
}
