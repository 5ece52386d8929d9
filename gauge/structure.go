package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// A structure cuts G, turned so that m ≥ n, by orthonormal P (m×k) and Q (n×k) that span the column and row spaces of the
// iterate:
//
//	        ⎡ C   F ⎤ ⎡ Qᵀ  ⎤      C = PᵀGQ,  E = (I-PPᵀ) G Q,  Fᵀ = (I-QQᵀ) Gᵀ P,
//	G = [P ⊥]⎣ E   D ⎦ ⎣ ⊥ᵀ  ⎦      D = (I-PPᵀ) G (I-QQᵀ)
//
// Near a solution C is λI to first order and the singular values of G cluster there, which is where a Lanczos run on G
// itself stops early and certifies wrongly. C, E and F are computed exactly; only ‖D‖₂, which is below the cluster, is
// estimated.
type structure struct {
	g       gcg.Map
	m, n    int
	flipped bool // g is the transpose of the map that was given
	p, q    *gcg.Factor
	c, e, f *gcg.Factor // C is a Small(k,k), E m×k, F n×k
}

// maxStructure bounds the rank of an iterate whose spaces are used.
const maxStructure = 1024

func newStructure(g gcg.Map, ask gcg.Ask) *structure {
	m, n := g.Dims()
	s := &structure{g: g, m: m, n: n}
	if w := ask.W; w != nil && w.Rank() > 0 && w.Rank() <= min(maxStructure, min(m, n)/2) {
		s.begin(ask)
	}
	if n > m {
		s.g, s.m, s.n, s.flipped = transposed(g), n, m, true
		s.p, s.q, s.e, s.f = s.q, s.p, s.f, s.e
	}
	if s.p != nil {
		s.c = s.e.Project(s.p)
		s.f.Project(s.q)
	}
	return s
}

// begin takes P, Q, G Q and Gᵀ P from where they are known, and forgotten then, or computes them.
func (s *structure) begin(ask gcg.Ask) {
	if a := ask.Sides; a != nil && a.P != nil && orthonormal(a.P) && orthonormal(a.Q) {
		s.p, s.q, s.e, s.f = a.P, a.Q, a.GQ, a.GP
		*a = gcg.Sides{}
		return
	}
	p, _ := gcg.Orthonormal(ask.W.U, 1e-10)
	q, _ := gcg.Orthonormal(ask.W.V, 1e-10)
	if p.K > 0 && p.K == q.K { // else W is not compressed: do without
		s.p, s.q = p, q
		s.e, s.f = gcg.Both(s.g, p, q)
	}
}

// orthonormal says that the columns of F are so to working precision.
func orthonormal(f *gcg.Factor) bool {
	g := gcg.TMul(f, f)
	for i := range f.K {
		g.Row(i)[i]--
	}
	return linalg.MaxAbs(g.Data) < 1e-13*float64(f.K)
}

// repay ends what is the structure's own, or was given away to it.
func (s *structure) repay() { gcg.Repay(s.p, s.q, s.c, s.e, s.f) }

// blocks are the norms of C, E and F.
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

// polar answers an Ask: new atoms from D, and the bound ‖[‖C‖ ‖F‖; ‖E‖ ‖D‖]‖₂ with ‖D‖ bounded by Lanczos. It says whether
// ‖D‖ is bounded as sharply as asked, or as there is need.
func (s *structure) polar(ctx context.Context, o lanczosOptions, ask gcg.Ask) (p gcg.Polar, sharp bool, err error) {
	l := newLook(s, o, ask)
	defer l.b.repay()
	if err = l.until(ctx); err != nil {
		return p, false, err
	}
	p = gcg.Polar{Bound: l.bound * (1 + 1e-12), Kind: gcg.Probable, Failure: o.failure, Alpha: 1, Rest: l.r.top()}
	if ask.Fresh {
		s.freshAtoms(&p, ask, l.r)
		if p.Bound > ask.Goal { // else the run ends
			p.Near = s.near(l.r, p.Count(), ask.Near)
		}
		p.Value = math.Max(l.c, l.r.top())
	} else {
		s.unionAtoms(&p, ask, l.r)
	}
	p.Bound = math.Max(p.Bound, p.Value)
	return p, l.sharp, nil
}

// freshAtoms takes the Ritz pairs of D.
func (s *structure) freshAtoms(p *gcg.Polar, ask gcg.Ask, r ritz) {
	count := 0
	for count < min(max(ask.Count, 1), len(r.values)) && r.values[count] > ask.Above && r.residual(count) <= 0.5*r.values[count] {
		count++
	}
	if count == 0 {
		return
	}
	x, y, theta := r.pairs(count)
	if ask.Together {
		if p.U, p.V, p.Values = x, y, theta; s.flipped {
			p.U, p.V = y, x
		}
		return
	}
	u, v := make([]float64, s.m), make([]float64, s.n)
	for c := range count {
		x.ColumnTo(u, c)
		y.ColumnTo(v, c)
		p.Values = append(p.Values, theta[c])
		p.Atoms = append(p.Atoms, oriented(u, v, s.flipped))
	}
}

// near are right vectors of Ritz pairs of G, count of them or as many as there are; their lengths mean nothing.
func (s *structure) near(r ritz, from, count int) *gcg.Factor {
	if count = min(count, len(r.values)-from); count <= 0 {
		return nil
	}
	y := r.right(from, count)
	if s.flipped {
		return r.from.d.mul(y)
	}
	return y
}

// unionAtoms takes the singular pairs of G compressed to the spaces [P X] and [Q Y], with X, Y the leading Ritz pairs of D.
func (s *structure) unionAtoms(p *gcg.Polar, ask gcg.Ask, r ritz) {
	count := 0
	for count < min(2*max(ask.Count, 1)+8, len(r.values)) && r.values[count] > 0 {
		count++
	}
	if s.p == nil && count == 0 {
		*p = zeroPolar(s.g)
		if s.flipped {
			*p = zeroPolar(transposed(s.g))
		}
		return
	}
	x, y, theta := r.pairs(count)
	left, values, right := linalg.ThinSVD(s.unionCore(x, y, theta))
	u, v := make([]float64, s.m), make([]float64, s.n)
	for i := range min(max(ask.Count, 1), len(values)) {
		if i > 0 && values[i] <= ask.Above {
			break
		}
		lift(u, s.p, x, mat.Col(nil, i, left))
		lift(v, s.q, y, mat.Col(nil, i, right))
		p.Values = append(p.Values, values[i])
		p.Atoms = append(p.Atoms, oriented(u, v, s.flipped))
	}
	p.Value = p.Values[0]
}

// unionCore is [C FᵀY; XᵀE Θ].
func (s *structure) unionCore(x, y *gcg.Factor, theta []float64) *mat.Dense {
	k := 0
	if s.p != nil {
		k = s.p.K
	}
	core := mat.NewDense(k+len(theta), k+len(theta), nil)
	for t, v := range theta {
		core.Set(k+t, k+t, v)
	}
	if k == 0 {
		return core
	}
	fy, xe := gcg.TMul(s.f, y), gcg.TMul(x, s.e)
	for i := range k {
		for j := range k {
			core.Set(i, j, s.c.Row(i)[j])
		}
		for t := range theta {
			core.Set(i, k+t, fy.Row(i)[t])
			core.Set(k+t, i, xe.Row(t)[i])
		}
	}
	return core
}

// lift writes [P X] coef.
func lift(dst []float64, basis, more *gcg.Factor, coef []float64) {
	k := 0
	if basis != nil {
		k = basis.K
	}
	for i := range dst {
		dst[i] = kernel.Dot(coef[k:], more.Row(i))
		if basis != nil {
			dst[i] += kernel.Dot(coef[:k], basis.Row(i))
		}
	}
}
