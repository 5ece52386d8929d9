package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A structure cuts G, transposed if need be so that m ≥ n, by orthonormal P (m×k) and Q (n×k) that span the column and row
// spaces of the iterate:
//
//	        ⎡ C   F ⎤ ⎡ Qᵀ  ⎤      C = PᵀGQ,  E = (I-PPᵀ) G Q,  Fᵀ = (I-QQᵀ) Gᵀ P,
//	G = [P ⊥]⎣ E   D ⎦ ⎣ ⊥ᵀ  ⎦      D = (I-PPᵀ) G (I-QQᵀ)
//
// Near a solution C is λI to first order, so that singular values of G cluster at λ. There a Lanczos run on G itself would
// stop early and certify wrongly. So C, E and F are computed exactly, and only ‖D‖₂, which is below the cluster, is estimated.
type structure struct {
	g       gcg.Map
	m, n    int
	flipped bool        // g is the transpose of the map that was given
	p, q    *gcg.Factor // nil where the iterate has no spaces, or they are not used; D is G then
	c, e, f *gcg.Factor // C is a Small(k,k), E m×k, F n×k; nil with P
}

// maxStructure is the largest rank of an iterate whose spaces are used.
const maxStructure = 1024

// newStructure cuts g by the spaces of ask.W, if its rank is at most maxStructure and half of the shorter side.
func newStructure(g gcg.Map, ask gcg.Ask) *structure {
	m, n := g.Dims()
	s := &structure{g: g, m: m, n: n}
	if w := ask.W; w != nil && w.Rank() > 0 && w.Rank() <= min(maxStructure, min(m, n)/2) {
		s.begin(ask)
	}
	if n > m {
		s.g, s.m, s.n, s.flipped = gcg.Transposed(g), n, m, true
		s.p, s.q, s.e, s.f = s.q, s.p, s.f, s.e
	}
	if s.p != nil {
		s.c = s.e.Project(s.p)
		s.f.Project(s.q)
	}
	return s
}

// begin takes P, Q, G Q and Gᵀ P, of G before it is transposed, out of ask.Spectral.Projections where they are known there, or
// computes them.
func (s *structure) begin(ask gcg.Ask) {
	if a := ask.Spectral.Projections; a != nil && a.P != nil && orthonormal(a.P) && orthonormal(a.Q) {
		s.p, s.q, s.e, s.f = a.P, a.Q, a.GQ, a.GP
		*a = gcg.Projections{}
		return
	}
	p, _ := gcg.Orthonormal(ask.W.U, 1e-10)
	q, _ := gcg.Orthonormal(ask.W.V, 1e-10)
	if p.K > 0 && p.K == q.K { // else W is not compressed: do without
		s.p, s.q = p, q
		s.e, s.f = gcg.Both(s.g, p, q)
	}
}

// orthonormal reports whether the columns of f are orthonormal to working precision.
func orthonormal(f *gcg.Factor) bool {
	g := gcg.TMul(f, f)
	for i := range f.K {
		g.Row(i)[i]--
	}
	return linalg.MaxAbs(g.Data) < 1e-13*float64(f.K)
}

// repay gives the memory of the blocks and bases, and of the Projections that were taken, to later factors.
func (s *structure) repay() { gcg.Repay(s.p, s.q, s.c, s.e, s.f) }

// blocks has the spectral norms of C, E and F.
func (s *structure) blocks() (c, e, f float64) {
	if s.p == nil {
		return 0, 0, 0
	}
	par.Do(
		func() { c = s.c.SpectralNorm() },
		func() { e = s.e.SpectralNorm() },
		func() { f = s.f.SpectralNorm() },
	)
	return c, e, f
}

// polar answers ask: atoms of D alone where fresh ones are asked for, else of G, and the bound ‖[‖C‖ ‖F‖; ‖E‖ ‖D‖]‖₂ or a
// sharper one, with ‖D‖ bounded by Lanczos steps. It reports whether the bound is as sharp as was asked for, or as is needed.
func (s *structure) polar(ctx context.Context, o lanczosOptions, ask gcg.Ask) (p gcg.Polar, sharp bool, err error) {
	l := newLook(s, o, ask)
	defer l.b.repay()
	if err = l.until(ctx); err != nil {
		return p, false, err
	}
	p = gcg.Polar{Bound: l.bound * (1 + 1e-12), Kind: gcg.Probable, Failure: o.failure, Alpha: 1,
		Spectral: &gcg.Spectral{Complement: gcg.Complement{Norm: l.r.top()}}}
	if ask.OutsideW {
		s.freshAtoms(&p, ask, l.r, math.Max(l.c, l.r.top()))
		if next := l.r.at(p.Count()); next <= ask.Above {
			p.Spectral.Complement.Next = next
		}
		if p.Bound > ask.Goal { // else the run ends
			p.Spectral.Complement.Right = s.near(l.r, p.Count(), ask.Spectral.Right)
		}
		p.Value = math.Max(l.c, l.r.top())
	} else {
		s.unionAtoms(&p, ask, l.r)
	}
	p.Bound = math.Max(p.Bound, p.Value)
	return p, l.sharp, nil
}
