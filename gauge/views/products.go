package views

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

const (
	productRounds  = 12   // values of τ; three or four are common
	productFailure = 1e-9 // probability that the bound of one of them does not hold
	// partOfBound is the part of the accuracy that is asked for, which the bound of σ₁ at one τ may use up.
	partOfBound = 0.25
)

// productPolar is the polar of two views where G is known by products only. √λ₁(K(τ)) is σ₁ of the rows of G times r_i/√τ_i,
// whose bound is that of the trace norm: probable, or proven where ask.Exact wants it. The right vectors go into a basis, in
// which the pencil is minimised, as in exact.
func (k Views) productPolar(ctx context.Context, views []block, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	s := &productSearch{g: g, views: views, p: gcg.Polar{Bound: math.Inf(1), Kind: gcg.Probable, Alpha: 1}}
	x := s.start(ask.W)
	for round := range productRounds {
		if err := s.look(ctx, x, ask, uint64(round)); err != nil {
			return gcg.Polar{}, err
		}
		if s.value == 0 { // G = 0
			s.p.Bound = math.Max(s.p.Bound, 0)
			break
		}
		next, y := s.pencil().minimise()
		s.take(y)
		if s.p.Bound <= s.value*(1+ask.Tol) || s.p.Bound <= ask.Goal || math.Abs(next-x) <= stillTau {
			break
		}
		x = next
	}
	return s.answer(), nil
}

// stillTau is the change of log(τ/(1-τ)) below which another bound would be the same.
const stillTau = 1e-9

// A productSearch is the state of productPolar.
type productSearch struct {
	g     gcg.Map
	views []block
	basis subspace
	gb    [][]float64 // G times the basis
	p     gcg.Polar   // the best bound, and the probability that one of all so far does not hold
	value float64
	v     []float64
}

// start is the x of the shares that the views have in W, or of both alike.
func (s *productSearch) start(w *gcg.Iterate) float64 {
	if w == nil || w.Rank() == 0 {
		return 0
	}
	var sizes [2]float64
	right := w.V.ColumnNorms()
	for i, b := range s.views {
		for c, norm := range rowsOf(w.U, b).ColumnNorms() {
			sizes[i] += norm * norm * right[c] * right[c] / b.r / b.r
		}
	}
	if !(sizes[0] > 0 && sizes[1] > 0) {
		return 0
	}
	return math.Log(sizes[0]) - math.Log(sizes[1])
}

// look bounds λ₁ of K(τ), and adds its leading right vectors to the basis.
func (s *productSearch) look(ctx context.Context, x float64, ask gcg.Ask, round uint64) error {
	m, _ := s.g.Dims()
	tau, rest := shares(x)
	rows := make([]float64, m)
	for i, share := range []float64{tau, rest} {
		for j := s.views[i].lo; j < s.views[i].hi; j++ {
			rows[j] = s.views[i].r / math.Sqrt(share)
		}
	}
	scaled := gcg.Ask{Count: taken, Tol: partOfBound * ask.Tol, Goal: ask.Goal, Exact: ask.Exact, Seed: ask.Seed + round,
		W: weighed(ask.W,
			rows)}
	trace := gauge.Trace{Failure: productFailure / productRounds}
	p, err := trace.Polar(ctx, gcg.RowScaled(s.g, rows, nil), scaled)
	if err != nil {
		return err
	}
	s.p.Failure += p.Failure
	if bound := p.UpperBound(); bound < s.p.Bound {
		s.p.Bound, s.p.Kind = bound, p.Kind
	}
	var right [][]float64
	for _, a := range p.Atoms {
		v := make([]float64, a.V.Rows)
		a.V.ColumnTo(v, 0)
		right = append(right, v)
	}
	from := len(s.basis.vectors)
	s.basis.extend(right)
	for _, v := range s.basis.vectors[from:] {
		gv := make([]float64, m)
		s.g.MulTo(gv, v)
		s.gb = append(s.gb, gv)
	}
	if s.v == nil {
		s.take(append([]float64{1}, make([]float64, len(s.basis.vectors)-1)...))
	}
	return nil
}

// weighed is W with its rows divided by the given numbers, or nil.
func weighed(w *gcg.Iterate, rows []float64) *gcg.Iterate {
	if w == nil || w.Rank() == 0 {
		return nil
	}
	d := &gcg.Iterate{M: w.M, N: w.N}
	d.SetFactors(w.U.Clone(), w.V.Clone())
	for i, r := range rows {
		kernel.Scale(1/r, d.U.Row(i))
	}
	return d
}

// pencil is K(τ) in the basis.
func (s *productSearch) pencil() *pencil {
	d := len(s.basis.vectors)
	p := &pencil{d, make([]float64, d*d), make([]float64, d*d)}
	for i := range d {
		for j := range d {
			p.k1[i*d+j] = s.product(0, i, j)
			p.k2[i*d+j] = s.product(1, i, j)
		}
	}
	return p
}

// product is r²bᵢᵀGᵀGbⱼ over the rows of a view.
func (s *productSearch) product(view, i, j int) float64 {
	b := s.views[view]
	return b.r * b.r * kernel.Dot(s.gb[i][b.lo:b.hi], s.gb[j][b.lo:b.hi])
}

// take keeps v = B y if it attains more than the best so far.
func (s *productSearch) take(y []float64) {
	p := s.pencil()
	if value := p.value(y); s.v == nil || value > s.value {
		s.value, s.v = value, y
	}
}

// answer is the polar with the atom of the best v.
func (s *productSearch) answer() gcg.Polar {
	m, _ := s.g.Dims()
	v := s.basis.lift(append(append([]float64(nil), s.v...), make([]float64, len(s.basis.vectors)-len(s.v))...))
	unit(v)
	gv := make([]float64, m)
	s.g.MulTo(gv, v)
	u, value := make([]float64, m), 0.0
	for _, b := range s.views {
		y := gv[b.lo:b.hi]
		norm := gcg.Norm(y)
		value += b.r * norm
		copy(u[b.lo:b.hi], ofLength(y, norm, b.r))
	}
	p := s.p
	p.Atoms, p.Values, p.Value = []gcg.Atom{gcg.RankOne(u, v)}, []float64{value}, value
	p.Bound = math.Max(p.Bound, value)
	if p.Kind == gcg.Proven { // the best bound needs no other
		p.Failure = 0
	}
	return p
}
