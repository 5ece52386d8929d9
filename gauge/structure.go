package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
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

// begin takes P, Q, G Q and Gᵀ P from where they are known, or computes them.
func (s *structure) begin(ask gcg.Ask) {
	if a := ask.Sides; a != nil && orthonormal(a.P) && orthonormal(a.Q) {
		s.p, s.q, s.e, s.f = a.P, a.Q, a.GQ, a.GP
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

// A complement is D, less the pairs that were cut out of it.
type complement struct {
	g          gcg.Map
	m, n, dim  int
	p, f       *gcg.Factor   // of the structure, or nil
	outL, outR []*gcg.Factor // orthonormal, m×· and n×·; P is not among them
}

func (s *structure) complement() *complement {
	d := &complement{g: s.g, m: s.m, n: s.n, dim: s.n}
	if s.p != nil {
		d.p, d.f, d.outR, d.dim = s.p, s.f, []*gcg.Factor{s.q}, s.n-s.q.K
	}
	return d
}

// without is D with more pairs cut out.
func (d *complement) without(x, y *gcg.Factor) *complement {
	c := *d
	c.outL, c.outR = append([]*gcg.Factor{x}, d.outL...), append([]*gcg.Factor{y}, d.outR...)
	c.dim -= y.K
	return &c
}

// mul is D y, for y in the complement.
func (d *complement) mul(y *gcg.Factor) *gcg.Factor {
	z := gcg.NewFactor(d.m, y.K)
	d.pairlessTo(z, y)
	if d.p != nil {
		z.Project(d.p)
	}
	return z
}

// pairlessTo writes D y and what G y has in the span of P.
func (d *complement) pairlessTo(z, y *gcg.Factor) {
	gcg.MulBlock(d.g, z, y)
	for _, out := range d.outL {
		z.Project(out)
	}
}

// gramTo writes DᵀD y, for y in the complement, into w; z (m×k) is work space. As PᵀG y = Fᵀy, F, on the shorter side, takes the place of P.
func (d *complement) gramTo(w, z, y *gcg.Factor) {
	d.pairlessTo(z, y)
	gcg.TMulBlock(d.g, w, z)
	if d.f != nil {
		c := gcg.TMul(d.f, y)
		c.Scale(-1)
		w.AddMul(d.f, c)
	}
	d.right(w)
}

func (d *complement) right(w *gcg.Factor) {
	for _, out := range d.outR {
		w.Project(out)
	}
}

// blocks are the norms of C, E and F.
func (s *structure) blocks() (c, e, f float64) {
	if s.p == nil {
		return 0, 0, 0
	}
	return s.c.SpectralNorm(), s.e.SpectralNorm(), s.f.SpectralNorm()
}

// polar answers an Ask: new atoms from D, and the bound ‖[‖C‖ ‖F‖; ‖E‖ ‖D‖]‖₂ with ‖D‖ bounded by Lanczos. It says whether
// ‖D‖ is bounded as sharply as asked, or as there is need.
func (s *structure) polar(ctx context.Context, o lanczosOptions, ask gcg.Ask) (p gcg.Polar, sharp bool, err error) {
	l := look{s: s, o: o, ask: ask, b: startKrylov(s.complement(), ask.Seed), failure: o.failure / 2}
	l.c, l.e, l.f = s.blocks()
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

// A look is what is known of ‖G‖ while Lanczos steps go on.
type look struct {
	s       *structure
	o       lanczosOptions
	ask     gcg.Ask
	b       *krylov
	r       ritz
	c, e, f float64
	bound   float64
	sharp   bool
	failure float64 // what is left of the probability for further random starts: each takes half
	cuts    uint64  // those starts
	atoms   int     // Ritz values above ask.Above
	growing bool    // the last steps brought more of them, and there is use for more
	pace    pace
}

// until takes steps until the bound is as sharp as asked, or ends the run, or atoms above ask.Above have been found: then no sharp
// bound is needed. Nor is it where the run goes on whatever the bound, for what G attains.
func (l *look) until(ctx context.Context) error {
	best := math.Inf(1) // of pairs that were cut out
	for steps := 4; ; {
		if err := l.b.extend(ctx, min(steps, l.o.patience)); err != nil {
			return err
		}
		l.r = l.b.ritz()
		l.count()
		top := l.r.top()
		attained := math.Max(linalg.Norm2(l.c, l.f, l.e, 0), top)
		want := l.ask.Goal
		if attained > want {
			want = attained * (1 + l.ask.Tol)
		}
		out := l.b.steps >= min(l.o.steps, l.o.small)
		if l.wanted() && !l.enough() && !out && !l.b.done && linalg.Norm2(l.c, l.f, l.e, top) > want {
			steps += far(steps)
			continue // no bound could end this
		}
		tau := l.b.above(l.r, l.o.failure/2)
		steps = l.pace.next(l.b.steps, tau, top, allowed(l.c, l.e, l.f, want))
		l.bound = math.Min(best, linalg.Norm2(l.c, l.f, l.e, tau))
		l.sharp = l.b.done || l.bound <= want || l.found(tau)
		if l.sharp || out && l.wanted() {
			return nil
		}
		if l.wanted() {
			continue
		}
		limit := linalg.Norm2(l.c, l.f, l.e, top)
		l.sharp = l.near(l.bound, limit)
		cut := l.s.promising(l.r, l.c, l.e, l.f)
		if l.better(cut.bound, limit, attained, want) || out && cut.bound < l.bound*(1-0.1*l.ask.Tol) {
			if err := l.deflate(ctx, cut.pairs, attained, want); err != nil {
				return err
			}
			l.sharp = l.sharp && l.bound <= math.Max(limit, want) // else the pairs were not yet worth their cutting
			best = l.bound
		}
		if l.sharp || l.b.steps >= l.o.patience {
			return nil
		}
	}
}

// near says that more steps would not be worth their time: a bound could at best fall to the limit.
func (l *look) near(bound, limit float64) bool {
	excess := limit - l.ask.Above
	if excess < withinReach*(l.ask.Goal-l.ask.Above) {
		return false // the run ends where the bound comes down to the goal
	}
	if bound <= limit*(1+l.ask.Tol) {
		return true
	}
	return l.ask.Fresh && excess > 0 && bound-l.ask.Above <= nearExcess*excess
}

// nearExcess is how much more than it must the bound may exceed what an atom must attain, where improvers work within the
// spaces of the iterate: the excess comes from the blocks E and F, and falls with their next steps.
const nearExcess = 1.4

// withinReach is the part of what ask.Goal allows that the limit may take for more steps to be worth their time.
const withinReach = 0.9

// better says that a bound is foretold that no more steps would come near to, and that it matters: where the run goes on whatever
// the bound, for what G attains, it does so if improvers then go all the way.
func (l *look) better(foretold, limit, attained, want float64) bool {
	above, goal := foretold-l.ask.Above, homeStretch*(l.ask.Goal-l.ask.Above)
	if l.ask.Goal > 0 && attained > l.ask.Goal*(1+l.ask.Tol) {
		return above < goal && limit-l.ask.Above > goal
	}
	return foretold <= want && limit > want || l.ask.Fresh && foretold > want && above < 0.5*(limit-l.ask.Above)
}

// homeStretch is how many times the excess of ask.Goal a bound may exceed ask.Above for improvers to go all the way.
const homeStretch = 25

// wanted says that there are atoms above ask.Above outside the spaces of the iterate.
func (l *look) wanted() bool { return l.ask.Fresh && l.r.top() > l.ask.Above*(1+l.ask.Tol) }

// foundExcess is how much more than what atoms attain beyond their price may be left open: where they are hardly worth it, what a
// bound says matters more.
const foundExcess = 8

// enough says that there are as many as asked for.
func (l *look) enough() bool {
	count := max(l.ask.Count, 1)
	return l.r.residual(0) <= 0.1*l.r.top() && l.b.count >= count+count/2+8
}

// found says that they are good enough.
func (l *look) found(tau float64) bool {
	top := l.r.top()
	return l.wanted() && l.enough() && tau <= 1.25*top && tau-l.ask.Above <= foundExcess*(top-l.ask.Above) && !l.growing
}

// growingPart of the atoms so far is how many more steps must bring for others to follow.
const growingPart = 8

// count counts the atoms that there are so far: those that a question misses are left to the next one, a whole round later. But steps that
// bring few more are not worth their time.
func (l *look) count() {
	before := l.atoms
	for l.atoms < len(l.r.values) && l.r.values[l.atoms] > l.ask.Above {
		l.atoms++
	}
	l.growing = l.ask.Together && growingPart*(l.atoms-before) > before && l.atoms < l.ask.Count
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
		dst[i] = dot(coef[k:], more.Row(i))
		if basis != nil {
			dst[i] += dot(coef[:k], basis.Row(i))
		}
	}
}
