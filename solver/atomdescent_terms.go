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
