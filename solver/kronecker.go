package solver

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A kronecker approximates the Hessian of F at P S Qᵀ by that of a loss whose second derivative is ⟨X, L X R⟩ with
// symmetric L and R. With K = PᵀLP and J = QᵀRQ
//
//	A → L A J + λ A S⁻¹,   B → R B K + λ B S⁻¹,   M → K M J + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ)
//
// and between M and A, (I - PPᵀ)L P M J and its transpose: features are correlated, and P is nothing like eigenvectors of L. What
// couples B is left out. A and B are inverted where they are diagonal: for A that is, with L = EΛEᵀ and S^½JS^½ = YΔYᵀ,
//
//	A → E [ (EᵀA S^½Y)_ic / (ΛᵢΔ_c + λ) ] (S^½Y)ᵀ
//
// For M see coreEquation.
type kronecker struct {
	left, right spectrum // L and R
	wp, wq      spectrum // S^½KS^½ and S^½JS^½; their vectors are S^½Y
	core        *coreEquation
	p, lp       *gcg.Factor // P and L P
	slope       float64
}

func newKronecker(n *newton, left, right spectrum) *kronecker {
	lp, j := left.times(n.left), right.compress(n.right)
	k := gcg.TMul(n.left, lp)
	return &kronecker{left, right, whitened(k, n.sigma), whitened(j, n.sigma), newCoreEquation(k, j, n.sigma, n.slope), n.left, lp, n.slope}
}

func (k *kronecker) coreTo(z, r *gcg.Factor) { k.core.solveTo(z, r) }

// sidesTo goes on from M with a symmetric Gauss-Seidel step: A with what M leaves of r, then M with what A changes.
func (k *kronecker) sidesTo(z, r tangent[float64]) {
	copy(z.b.Data, k.side(r.b, k.right, k.wp).Data)
	if k.p.K >= k.p.Rows { // P is all there is
		clear(z.a.Data)
		return
	}
	rest := gcg.Mul(k.lp, gcg.Mul(z.m, k.core.j))
	rest.Scale(-1)
	rest.AddScaled(1, r.a)
	rest.Project(k.p)
	copy(z.a.Data, k.side(rest, k.left, k.wq).Data)
	z.a.Project(k.p)
	by := gcg.Small(z.m.K, z.m.K)
	k.core.solveTo(by, gcg.Mul(gcg.TMul(k.lp, z.a), k.core.j))
	z.m.AddScaled(-1, by)
}

func (k *kronecker) side(r *gcg.Factor, left, right spectrum) *gcg.Factor {
	x := gcg.Mul(left.in(r), right.vectors)
	floor := k.slope + 1e-6*left.top()*right.top() + 1e-300
	for i, l := range left.values {
		row := x.Row(i)
		for c, d := range right.values {
			row[c] /= l*d + floor
		}
	}
	return left.out(gcg.Mul(x, right.flip))
}

// A basis is the eigenvectors of an L, which serve the next ones while they are about diagonal in it.
type basis struct{ vectors, flip *gcg.Factor }

// separable approximates X → A*(∇²L A(X)) by L X R.
func (b *basis) separable(p *gcg.Problem, op gcg.KroneckerOperator, s *gcg.State) (l, r spectrum) {
	gram, left, right := op.Kronecker(diagonal(p, s), p.Intercept)
	l = spectrum{values: left}
	if gram != nil {
		l = b.spectrum(gram)
	}
	return l, spectrum{values: right}
}

// spectrum is that of K, or diag(EᵀKE) in the basis E from before while the rest of EᵀKE is small: 4p³ flops in place of the
// about 20p³ of a decomposition, at a far lower rate.
func (b *basis) spectrum(k *gcg.Factor) spectrum {
	if b.vectors != nil && b.vectors.K == k.K {
		m := gcg.Mul(gcg.Mul(b.flip, k), b.vectors)
		values := make([]float64, k.K)
		for i := range values {
			values[i] = math.Max(m.Row(i)[i], 0)
		}
		if offDiagonal(m, values) <= float64(k.K) {
			return spectrum{values, b.vectors, b.flip}
		}
	}
	s := newSpectrum(k)
	b.vectors, b.flip = s.vectors, s.flip
	return s
}

// offDiagonal is Σ over i≠j of mᵢⱼ²/(vᵢvⱼ), v the diagonal of a matrix that is positive semidefinite.
func offDiagonal(m *gcg.Factor, v []float64) float64 {
	var off float64
	for i, vi := range v {
		row := m.Row(i)
		for j, vj := range v[:i] {
			off += 2 * row[j] * row[j] / math.Max(vi*vj, 1e-300)
		}
	}
	return off
}

// diagonal is that of ∇²L where the loss can tell; else about it: e∘∇²L e for random signs e, which has it for expectation.
// Sums of many entries are as good.
func diagonal(p *gcg.Problem, s *gcg.State) []float64 {
	d := make([]float64, len(s.Z))
	if l, ok := p.Loss.(gcg.MemoizedLoss); ok {
		par.For(p.Blocks(), func(b int) {
			lo, hi := p.Block(b)
			l.DiagonalFromTo(d[lo:hi], lo, s.R[lo:hi])
		})
		return d
	}
	rng := rand.New(rand.NewPCG(1, 0x9e3779b97f4a7c15))
	e := make([]float64, len(s.Z))
	for i := range e {
		e[i] = float64(2*rng.IntN(2) - 1)
	}
	p.HessTo(d, s.Z, s.R, e)
	for i := range d {
		d[i] = math.Max(0, d[i]*e[i])
	}
	return d
}

// A spectrum is a symmetric positive semidefinite matrix, E diag(values) Eᵀ. Without vectors E is I.
type spectrum struct {
	values        []float64
	vectors, flip *gcg.Factor // E and Eᵀ
}

// newSpectrum decomposes a Small.
func newSpectrum(k *gcg.Factor) spectrum {
	values, e := k.SymEigen(true)
	for i := range values {
		values[i] = math.Max(values[i], 0)
	}
	return spectrum{values, gcg.SmallOf(e), gcg.SmallOf(e.T())}
}

// whitened is the spectrum of S^½KS^½ = YΔYᵀ with S^½Y in place of Y.
func whitened(k *gcg.Factor, sigma []float64) spectrum {
	g := k.Clone()
	for i, si := range sigma {
		for j, sj := range sigma {
			g.Row(i)[j] *= math.Sqrt(si * sj)
		}
	}
	w := newSpectrum(g)
	for i, s := range sigma {
		root := math.Sqrt(s)
		for c := range sigma {
			w.vectors.Row(i)[c] *= root
			w.flip.Row(c)[i] *= root
		}
	}
	return w
}

func (s spectrum) top() float64 {
	var top float64
	for _, x := range s.values {
		top = math.Max(top, x)
	}
	return top
}

// unpadded is E without the rows that only a Small has.
func (s spectrum) unpadded() *gcg.Factor {
	e := *s.vectors
	e.Rows = len(s.values)
	e.Data = e.Data[:e.Rows*e.Stride]
	return &e
}

// in is EᵀF.
func (s spectrum) in(f *gcg.Factor) *gcg.Factor {
	if s.vectors == nil {
		return f
	}
	return gcg.TMul(s.unpadded(), f)
}

// out is E F.
func (s spectrum) out(f *gcg.Factor) *gcg.Factor {
	if s.vectors == nil {
		return f
	}
	return gcg.Mul(s.unpadded(), f)
}

// times is K F, K the matrix itself.
func (s spectrum) times(f *gcg.Factor) *gcg.Factor {
	t := s.in(f).Clone()
	for i, x := range s.values {
		kernel.Scale(x, t.Row(i))
	}
	return s.out(t)
}

// compress is FᵀKF.
func (s spectrum) compress(f *gcg.Factor) *gcg.Factor { return gcg.TMul(f, s.times(f)) }
