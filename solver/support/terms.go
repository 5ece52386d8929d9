package support

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// normalise divides the atoms of low rank by their gauge, so that their weights are what they cost: the pairs of unit columns
// that gcg.Iterate.Split makes have another gauge than 1 where atoms are signs, say. Where the gauge cannot tell, and for the
// trace norm, they stay.
func normalise(p *view.Problem, w *gcg.Iterate, terms []gcg.Term) {
	if p.Compressor == nil || p.Spectral {
		return
	}
	for i := range terms {
		if !terms[i].Atom.LowRank() {
			continue
		}
		if cost := p.GaugeOfAtom(terms[i].Atom, w.M, w.N); cost > 0 && !math.IsInf(cost, 1) {
			divide(&terms[i], cost)
		}
	}
}

// divide divides an atom of low rank by its cost and multiplies its weight by that: the product stays.
func divide(t *gcg.Term, cost float64) {
	t.Atom.U.Scale(1 / cost)
	t.Weight *= cost
}

// sameGauge is the part of ρ within which the weights of W sum to it: what many additions of weights leave of both.
const sameGauge = 1e-9

// split writes W as atoms of the gauge with weights that sum to s.Rho: its own terms, or the columns of its factors, where
// their gauges add up to no more than ρ, and else W/ρ as a single atom, which is in the convex hull of the atoms. It lowers
// s.Rho to the sum.
func split(p *view.Problem, s *gcg.State) []gcg.Term {
	if s.W.Zero() || s.Rho == 0 {
		return nil
	}
	if s.W.Rank() == 0 {
		if w := s.W.Weights(); math.Abs(w-s.Rho) <= sameGauge*s.Rho {
			s.Rho = w
			return append([]gcg.Term(nil), s.W.Terms...)
		}
	}
	if terms, rho := columnAtoms(p, s.W); terms != nil && rho <= s.Rho*(1+view.DomainRounding) {
		s.Rho = rho
		return terms
	}
	return []gcg.Term{{Atom: wholeAtom(s.W, s.Rho), Weight: s.Rho}}
}

// columnAtoms are the pairs of columns of the factors as atoms of gauge 1, and the sum of their weights; nil where the gauge
// cannot tell.
func columnAtoms(p *view.Problem, w *gcg.Iterate) (terms []gcg.Term, rho float64) {
	if p.Compressor == nil || len(w.Terms) > 0 {
		return nil, 0
	}
	for _, t := range w.Split() {
		if cost := p.GaugeOfAtom(t.Atom, w.M, w.N); cost > 0 {
			divide(&t, cost)
		} else {
			return nil, 0
		}
		terms, rho = append(terms, t), rho+t.Weight
	}
	return terms, rho
}

// wholeAtom is W/ρ as one atom: of low rank, or sparse where W has sparse terms.
func wholeAtom(w *gcg.Iterate, rho float64) gcg.Atom {
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

// MergeBlocks makes one atom of the sparse atoms of each block, as the gauge of their sum may be less than that of them all, and
// returns κ(W) as closely as the gauge can tell. W is overwritten; s.Rho stays.
func MergeBlocks(problem *gcg.Problem, s *gcg.State) (kappa float64) {
	p := view.Of(problem)
	if p.BlockGauge != nil {
		u := newSupport(blockGaugeOf(p))
		if u.load(s.W) && len(u.keys) < len(s.W.Terms) {
			u.store(s)
			return u.rho(u.x)
		}
	}
	return p.GaugeOf(s.W)
}
