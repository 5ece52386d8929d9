package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// A structure cuts G by orthonormal P (m×k) and Q (n×k) that span the column and row spaces of the iterate:
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
	p, q    *gcg.Factor
	c, e, f *gcg.Factor // C is a Small(k,k), E m×k, F n×k
}

// maxStructure bounds the rank of an iterate whose spaces are used.
const maxStructure = 1024

func newStructure(g gcg.Map, w *gcg.Iterate) *structure {
	m, n := g.Dims()
	s := &structure{g: g, m: m, n: n}
	if w == nil || w.Rank() == 0 || w.Rank() > min(maxStructure, min(m, n)/2) {
		return s
	}
	s.p, _ = w.U.Orthonormal(1e-10)
	s.q, _ = w.V.Orthonormal(1e-10)
	if s.p.K == 0 || s.p.K != s.q.K { // not compressed: do without
		return &structure{g: g, m: m, n: n}
	}
	s.e, s.f = gcg.Both(g, s.p, s.q)
	s.c = s.e.Project(s.p)
	s.f.Project(s.q)
	return s
}

// complement is D, less the pairs that were deflated.
func (s *structure) complement(x, y [][]float64) product {
	d := product{m: s.m, n: s.n, dim: s.n - len(y)}
	if s.q != nil {
		d.dim -= s.q.K
	}
	d.mul = func(dst, v []float64) {
		s.g.MulTo(dst, v)
		s.left(x)(dst)
	}
	d.tmul = func(dst, v []float64) {
		s.g.TMulTo(dst, v)
		s.right(y)(dst)
	}
	return d
}

func (s *structure) left(x [][]float64) func([]float64)  { return projector(s.p, x) }
func (s *structure) right(y [][]float64) func([]float64) { return projector(s.q, y) }

// projector removes the span of a factor's columns and of some vectors.
func projector(basis *gcg.Factor, more [][]float64) func([]float64) {
	return func(v []float64) {
		if basis != nil {
			coef := make([]float64, basis.Stride)
			for i, vi := range v {
				kernel.Axpy(vi, basis.Row(i), coef)
			}
			for i := range v {
				v[i] -= kernel.Dot(basis.Row(i), coef)
			}
		}
		for _, b := range more {
			kernel.Axpy(-kernel.Dot(b, v), b, v)
		}
	}
}

// blocks are the norms of C, E and F.
func (s *structure) blocks() (c, e, f float64) {
	if s.p == nil {
		return 0, 0, 0
	}
	return s.c.SpectralNorm(), s.e.SpectralNorm(), s.f.SpectralNorm()
}

// polar answers an Ask: new atoms from D, and the bound ‖[‖C‖ ‖F‖; ‖E‖ ‖D‖]‖₂ with ‖D‖ bounded by Lanczos. Steps go on
// until the bound is as sharp as asked, or atoms above ask.Above have been found: then no sharp bound is needed.
func (s *structure) polar(ctx context.Context, o lanczosOptions, ask gcg.Ask) (gcg.Polar, error) {
	c, e, f := s.blocks()
	d := s.complement(nil, nil)
	b := startBidiagonal(d, s.right(nil), ask.Seed)
	var r ritz
	var tau float64
	count := max(ask.Count, 1)
	enough := count + count/2 + 8
	for l := 12; ; l += max(6, l/4) {
		if err := b.extend(ctx, d, min(l, o.steps)); err != nil {
			return gcg.Polar{}, err
		}
		r = b.ritz()
		tau = b.inflated(r.top(), o.failure)
		floor := math.Max(linalg.Norm2(c, f, e, 0), r.top())
		if b.done || len(b.alpha) >= o.steps || l > o.small || linalg.Norm2(c, f, e, tau) <= floor*(1+ask.Tol) {
			break
		}
		found := r.top() > ask.Above*(1+ask.Tol) && r.residual(0) <= 0.1*r.top()
		if found && l >= enough && ask.Fresh {
			break
		}
		if l < 30 || r.top() >= floor*(1-1e-9) || b.stepsFor(floor*(1+ask.Tol)/r.top(), o.failure) <= 2*l {
			continue
		}
		var err error
		if tau, err = s.deflated(ctx, o, ask, b, r, floor*(1+ask.Tol)); err != nil {
			return gcg.Polar{}, err
		}
		if linalg.Norm2(c, f, e, tau) <= floor*(1+ask.Tol) {
			break
		}
		l += l / 2
	}
	p := gcg.Polar{Bound: linalg.Norm2(c, f, e, tau) * (1 + 1e-13), Kind: gcg.Probable, Failure: o.failure, Alpha: 1}
	if ask.Fresh {
		s.freshAtoms(&p, ask, b, r)
		p.Value = math.Max(c, r.top())
	} else {
		s.unionAtoms(&p, ask, b, r)
	}
	p.Bound = math.Max(p.Bound, p.Value)
	return p, nil
}

// deflated bounds ‖D‖ where its top is too close to the bound that is wanted for random-start steps alone. The leading
// Ritz pairs X, Y that have converged are cut out. As D Y = X Θ exactly and Dᵀ X = Y Θ + y aᵀ, with y the next Lanczos vector and aᵢ the
// residuals,
//
//	‖D‖₂ ≤ ‖ Θ  a ‖
//	       ‖ 0  τ ‖₂ ,   τ ≥ ‖(I-XXᵀ) D (I-YYᵀ)‖₂
//
// and a fresh random start bounds τ: the pairs were chosen before it is drawn, so its probability holds for them.
func (s *structure) deflated(ctx context.Context, o lanczosOptions, ask gcg.Ask, b *bidiagonal, r ritz, want float64) (float64, error) {
	var x, y [][]float64
	var theta, a []float64
	for i, v := range r.values {
		if v < 0.5*r.top() {
			break
		}
		if r.residual(i) > 0.03*r.top() {
			continue
		}
		x, y = append(x, combine(b.x, r.left, i)), append(y, combine(b.y, r.right, i))
		theta, a = append(theta, v), append(a, r.residual(i))
	}
	d := s.complement(x, y)
	fresh := startBidiagonal(d, s.right(y), ask.Seed^0xd1b54a32d192ed03)
	best := b.inflated(r.top(), o.failure)
	for l := 18; ; l += max(8, l/4) {
		if err := fresh.extend(ctx, d, min(l, o.steps)); err != nil {
			return 0, err
		}
		tau := fresh.inflated(fresh.ritz().top(), o.failure)
		best = math.Min(best, arrowNorm(theta, a, tau))
		if best <= want || fresh.done || len(fresh.alpha) >= len(b.alpha) {
			return best, nil
		}
	}
}

// arrowNorm is the spectral norm of [diag(θ) a; 0 τ].
func arrowNorm(theta, a []float64, tau float64) float64 {
	if math.IsInf(tau, 1) {
		return tau
	}
	k := len(theta)
	m := mat.NewDense(k+1, k+1, nil)
	for i := range theta {
		m.Set(i, i, theta[i])
		m.Set(i, k, a[i])
	}
	m.Set(k, k, tau)
	return mat.Norm(m, 2)
}

// freshAtoms takes the Ritz pairs of D.
func (s *structure) freshAtoms(p *gcg.Polar, ask gcg.Ask, b *bidiagonal, r ritz) {
	for i := range min(max(ask.Count, 1), len(r.values)) {
		if r.values[i] <= ask.Above || r.residual(i) > 0.5*r.values[i] {
			break
		}
		p.Values = append(p.Values, r.values[i])
		p.Atoms = append(p.Atoms, gcg.RankOne(combine(b.x, r.left, i), combine(b.y, r.right, i)))
	}
}

// unionAtoms takes the singular pairs of G compressed to the spaces [P X] and [Q Y].
func (s *structure) unionAtoms(p *gcg.Polar, ask gcg.Ask, b *bidiagonal, r ritz) {
	k, l := 0, len(b.alpha)
	if s.p != nil {
		k = s.p.K
	}
	if k+l == 0 {
		*p = zeroPolar(s.g)
		return
	}
	left, values, right := linalg.ThinSVD(s.unionCore(k, l, b))
	u, v := make([]float64, s.m), make([]float64, s.n)
	for i := range min(max(ask.Count, 1), len(values)) {
		if i > 0 && values[i] <= ask.Above {
			break
		}
		lift(u, s.p, b.x[:l], mat.Col(nil, i, left))
		lift(v, s.q, b.y[:l], mat.Col(nil, i, right))
		p.Values = append(p.Values, values[i])
		p.Atoms = append(p.Atoms, gcg.RankOne(u, v))
	}
	p.Value = p.Values[0]
}

// unionCore is [C FᵀY; XᵀE B].
func (s *structure) unionCore(k, l int, b *bidiagonal) *mat.Dense {
	core := mat.NewDense(k+l, k+l, nil)
	if k > 0 {
		for i := range k {
			for j := range k {
				core.Set(i, j, s.c.Row(i)[j])
			}
		}
	}
	for t := range l {
		core.Set(k+t, k+t, b.alpha[t])
		if t+1 < l {
			core.Set(k+t, k+t+1, b.beta[t])
		}
		for j := range k {
			core.Set(j, k+t, columnProduct(s.f, j, b.y[t]))
			core.Set(k+t, j, columnProduct(s.e, j, b.x[t]))
		}
	}
	return core
}

func columnProduct(f *gcg.Factor, c int, x []float64) float64 {
	var s float64
	for i, xi := range x {
		s += f.Data[i*f.Stride+c] * xi
	}
	return s
}

// lift writes [P X] coef.
func lift(dst []float64, basis *gcg.Factor, more [][]float64, coef []float64) {
	clear(dst)
	k := 0
	if basis != nil {
		k = basis.K
		for i := range dst {
			dst[i] = dot(basis.Row(i)[:k], coef[:k])
		}
	}
	for t, v := range more {
		kernel.Axpy(coef[k+t], v, dst)
	}
}
