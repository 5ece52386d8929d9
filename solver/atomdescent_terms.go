package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// load takes the atoms of a state that someone else has made or changed.
func (a *AtomDescent) load(p *gcg.Problem, s *gcg.State) {
	if a.of != (known{s.W, s.Loss, s.Rho}) {
		a.terms = split(p, s)
		a.remember(s)
	}
}

func (a *AtomDescent) remember(s *gcg.State) { a.of = known{s.W, s.Loss, s.Rho} }

// split writes W as atoms and weights that sum to s.Rho: the columns of the factors where their own gauges do, and else
// W/ρ, which is in the convex hull of the atoms, as one.
func split(p *gcg.Problem, s *gcg.State) []gcg.Term {
	if s.W.Zero() || s.Rho == 0 {
		return nil
	}
	if s.W.Rank() == 0 {
		if w := s.W.Weights(); math.Abs(w-s.Rho) <= 1e-9*s.Rho {
			s.Rho = w
			return append([]gcg.Term(nil), s.W.Terms...)
		}
	}
	if terms, rho := columns(p, s.W); terms != nil && rho <= s.Rho*(1+1e-12) {
		s.Rho = rho
		return terms
	}
	return []gcg.Term{{Atom: whole(s.W, s.Rho), Weight: s.Rho}}
}

// columns are the columns of the factors as atoms of gauge 1, and the sum of their weights; nil where the gauge cannot say.
func columns(p *gcg.Problem, w *gcg.Iterate) (terms []gcg.Term, rho float64) {
	if _, ok := p.Gauge.(gcg.Compressor); !ok || len(w.Terms) > 0 {
		return nil, 0
	}
	for _, t := range w.Split() {
		one := gcg.Join(w.M, w.N, []gcg.Term{{Atom: t.Atom, Weight: 1}})
		unit := p.GaugeOf(one)
		if !(unit > 0) {
			return nil, 0
		}
		t.Atom.U.Scale(1 / unit)
		t.Weight *= unit
		terms, rho = append(terms, t), rho+t.Weight
	}
	return terms, rho
}

// whole is W/ρ as one atom, of low rank or sparse; an iterate with parts of both is made sparse.
func whole(w *gcg.Iterate, rho float64) gcg.Atom {
	if len(w.Terms) == 0 {
		a := gcg.Atom{U: w.U.Clone(), V: w.V.Clone()}
		a.U.Scale(1 / rho)
		return a
	}
	var a gcg.Atom
	add := func(i, j int32, x float64) {
		a.Rows, a.Cols, a.Vals = append(a.Rows, i), append(a.Cols, j), append(a.Vals, x/rho)
	}
	for _, t := range w.Terms {
		for e, x := range t.Atom.Vals {
			add(t.Atom.Rows[e], t.Atom.Cols[e], t.Weight*x)
		}
	}
	if w.Rank() > 0 {
		for i := range w.M {
			for j := range w.N {
				add(int32(i), int32(j), kernel.Dot(w.U.Row(i), w.V.Row(j)))
			}
		}
	}
	return a
}

// attained is ⟨aᵢ, G⟩ for every term with a weight, in one product of G with all columns of the atoms of low rank, and one
// reading of the rows of G that the sparse ones touch.
func attained(p *gcg.Problem, s *gcg.State, terms []gcg.Term) []float64 {
	g := s.Gradient(p)
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

// productsWith is G V for the k columns of all atoms' right sides.
func productsWith(g gcg.Map, terms []gcg.Term, k int) *gcg.Factor {
	m, n := g.Dims()
	gv, v := gcg.NewFactor(m, k), gcg.NewFactor(n, k)
	x, y := make([]float64, n), make([]float64, m)
	blocks, ok := g.(gcg.BlockMap)
	at := 0
	for i := range terms {
		t := &terms[i]
		if t.Weight <= 0 || !t.Atom.LowRank() {
			continue
		}
		for c := range t.Atom.V.K {
			t.Atom.V.ColumnTo(x, c)
			if ok {
				v.SetColumn(at, x, 1)
			} else {
				g.MulTo(y, x)
				gv.SetColumn(at, y, 1)
			}
			at++
		}
	}
	if ok && k > 0 {
		blocks.MulBlockTo(gv, v)
	}
	return gv
}

// rowCache reads each row of G once.
type rowCache struct {
	g    gcg.Map
	rows map[int32][]float64
}

func (c *rowCache) dot(a *gcg.Atom) float64 {
	d, ok := c.g.(gcg.DenseMap)
	if !ok {
		return a.Dot(c.g)
	}
	_, n := c.g.Dims()
	var sum float64
	for e, i := range a.Rows {
		row := c.rows[i]
		if row == nil {
			row = make([]float64, n)
			d.RowsTo(row, int(i))
			c.rows[i] = row
		}
		sum += a.Vals[e] * row[a.Cols[e]]
	}
	return sum
}
