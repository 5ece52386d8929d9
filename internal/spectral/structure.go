package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A structure cuts G, transposed if need be so that m ≥ n, by orthonormal P (m×k) and Q (n×k) that span the column and row spaces
// of the iterate:
//
//	        ⎡ C   F ⎤ ⎡ Qᵀ  ⎤      C = PᵀGQ,  E = (I-PPᵀ) G Q,  Fᵀ = (I-QQᵀ) Gᵀ P,
//	G = [P ⊥]⎣ E   D ⎦ ⎣ ⊥ᵀ  ⎦      D = (I-PPᵀ) G (I-QQᵀ)
//
// Near a solution C is λI to first order, so that singular values of G cluster at λ. A Lanczos run on G itself would stop in this
// cluster and certify wrongly. So C, E and F are computed exactly. Only ‖D‖₂, which is below the cluster, is estimated.
type structure struct {
	g       gcg.Map // or one with the same D, where that is all that is left to ask for
	m, n    int
	left    *gcg.Factor // without columns, to make others of m rows like it,
	right   *gcg.Factor // and of n rows
	flipped bool        // g is the transpose of the map that was given
	p, q    *gcg.Factor // nil where the iterate has no spaces, or they are not used; D is G then
	c, e, f *gcg.Factor // C is a Small(k,k), E m×k, F n×k; nil with P
	u, v    *gcg.Factor // W = U Vᵀ
}

// An outsideMap has a cheaper map that agrees with it on D.
type outsideMap interface{ OutsideW() gcg.Map }

// maxStructure is the largest rank of an iterate whose spaces are used.
const maxStructure = 1024

// NewStructure cuts g by the spaces of ask.W. It does so if the rank is at most maxStructure and at most half of the shorter
// side; otherwise D is G.
func NewStructure(g gcg.Map, ask gcg.Ask) *structure {
	m, n := g.Dims()
	s := &structure{g: g, m: m, n: n}
	s.left, s.right = gcg.FactorsOf(g)
	if w := ask.W; w != nil && w.Rank() > 0 && w.Rank() <= min(maxStructure, min(m, n)/2) {
		s.u, s.v = w.U, w.V
		s.begin(ask)
		if o, ok := g.(outsideMap); ok && s.p != nil && s.p.K == w.Rank() {
			s.g = o.OutsideW()
		}
	}
	if n > m {
		s.g, s.m, s.n, s.flipped = gcg.Transposed(s.g), n, m, true
		s.p, s.q, s.e, s.f, s.u, s.v = s.q, s.p, s.f, s.e, s.v, s.u
		s.left, s.right = s.right, s.left
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
	p, _ := gcg.Orthonormal(ask.W.U, rounding.Decomposed)
	q, _ := gcg.Orthonormal(ask.W.V, rounding.Decomposed)
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
	return linalg.MaxAbs(g.Data) < rounding.Product*float64(f.K)
}

// Repay gives the memory of the blocks and bases, and of the Projections that were taken, to later factors.
func (s *structure) Repay() { gcg.Repay(s.p, s.q, s.c, s.e, s.f) }

// blocks has the spectral norms of C, E and F.
func (s *structure) blocks() (c, e, f float64) {
	if s.p == nil {
		return 0, 0, 0
	}
	s.p.Do(
		func() { c = s.c.SpectralNorm() },
		func() { e = s.e.SpectralNorm() },
		func() { f = s.f.SpectralNorm() },
	)
	return c, e, f
}

// Polar answers ask. The atoms are of D alone where ask.OutsideW is set, else of G. The bound is ‖[‖C‖ ‖F‖; ‖E‖ ‖D‖]‖₂ or a
// smaller one, with ‖D‖ bounded by Lanczos steps. accurate reports whether the bound is as good as was asked for, or as is
// needed.
func (s *structure) Polar(ctx context.Context, o Options, ask gcg.Ask) (p gcg.Polar, accurate bool, err error) {
	l := newBoundSearch(s, o, ask)
	defer l.b.repay()
	if err = l.until(ctx); err != nil {
		return p, false, err
	}
	p = gcg.Polar{Bound: l.bound * (1 + rounding.Null), Kind: gcg.Probable, Failure: o.Failure, Alpha: 1,
		Spectral: &gcg.Spectral{Complement: gcg.Complement{Norm: l.r.top()}, Shift: l.shift}}
	if ask.OutsideW {
		s.outsideAtoms(&p, ask, l.r, math.Max(l.c, l.r.top()))
		if next := l.r.at(p.Count()); next <= ask.Above {
			p.Spectral.Complement.Next = next
		}
		if p.Bound > ask.Goal && l.shift == nil { // else the run ends
			p.Spectral.Complement.Right = s.rightVectors(l.r, p.Count(), ask.Spectral.Right)
		}
		p.Value = math.Max(l.c, l.r.top())
	} else {
		s.unionAtoms(&p, ask, l.r)
	}
	p.Bound = math.Max(p.Bound, p.Value)
	return p, l.accurate, nil
}
