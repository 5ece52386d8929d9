package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/solver/view"
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
// which leaves it to others to make A orthogonal to P. For M see coreEquation.
type kronecker[T gcg.Real] struct {
	a, b *kroneckerSide[T]
	core *coreEquation
	lp   *gcg.FactorOf[T] // (I - PPᵀ) L P, or nil where that is little beside PᵀLP

	rest   *gcg.FactorOf[T] // work space: what M leaves of r
	by, mj *gcg.Factor
	small  *gcg.FactorOf[T]
}

// newKronecker takes L and R at the present point.
func newKronecker[T gcg.Real](n *newton, left, right spectrum[float64]) *kronecker[T] {
	p, l, r := gcg.FactorIn[T](n.left), spectrumIn[T](left), spectrumIn[T](right)
	lp := l.times(p)
	k, j := gcg.FactorIn[float64](lp.Project(p)), gcg.FactorIn[float64](r.compress(gcg.FactorIn[T](n.right)))
	pre := &kronecker[T]{
		core: newCoreEquation(k, j, n.sigma, n.slope),
		b:    newKroneckerSide(n.right.Rows, r, spectrumIn[T](whitened(k, n.sigma)), n.slope),
	}
	if p.K < p.Rows {
		pre.a = newKroneckerSide(n.left.Rows, l, spectrumIn[T](whitened(j, n.sigma)), n.slope)
	}
	if wide := gcg.FactorIn[float64](lp); wide.Dot(wide) > uncoupled*k.Dot(k) { // squares may be out of float32's range
		pre.lp, pre.rest, pre.small = lp, blank(lp), gcg.SmallIn[T](p.K, p.K)
		pre.by, pre.mj = blank(k), blank(k)
	}
	return pre
}

// uncoupled is the square of the part of L that couples A with M below which that is left out: conjugate gradients took as
// many steps without.
const uncoupled = 0.01

func (k *kronecker[T]) repay() {
	gcg.Repay(k.by, k.mj)
	gcg.Repay(k.rest, k.small)
}

func (k *kronecker[T]) coreTo(z, r *gcg.Factor) { k.core.solveTo(z, r) }

// sidesTo continues from M with a symmetric Gauss-Seidel step: A for what M leaves of r, and then M for what A changes.
func (k *kronecker[T]) sidesTo(z, r tangent[T]) {
	k.b.solveTo(z.b, r.b)
	switch {
	case k.a == nil:
		clear(z.a.Data)
		return
	case k.lp == nil:
		k.a.solveTo(z.a, r.a)
		return
	}
	k.mj.MulTo(z.m, k.core.j)
	kernel.Convert(k.small.Data, k.mj.Data)
	k.rest.MulTo(k.lp, k.small)
	k.rest.Scale(-1)
	k.rest.AddScaled(1, r.a)
	k.a.solveTo(z.a, k.rest)
	k.small.TMulTo(k.lp, z.a)
	kernel.Convert(k.by.Data, k.small.Data)
	k.mj.MulTo(k.by, k.core.j)
	k.core.solveTo(k.by, k.mj)
	z.m.AddScaled(-1, k.by)
}

// A basis keeps the eigenvectors of an L, which serve for others that are about diagonal in them, and L and R themselves,
// which serve while the second derivatives that they are of have hardly moved.
type basis struct {
	vectors, vectorsT *gcg.Factor
	weights           []float64
	left, right       spectrum[float64]
	gram              *gcg.Factor // L as a matrix, or nil where only its diagonal is known
}

// separable approximates X → A*(∇²L A(X)) by L X R.
func (b *basis) separable(p *view.Problem, s *gcg.State) (l, r spectrum[float64]) {
	weights := p.HessDiagonal(s)
	if b.serves(weights) {
		memory.Repay(weights)
		return b.left, b.right
	}
	gram, left, right := p.Kronecker.Kronecker(weights, p.Intercept)
	l = spectrum[float64]{values: left}
	if gram != nil {
		l = b.spectrum(gram)
	}
	b.weights, b.left, b.right, b.gram = weights, l, spectrum[float64]{values: right}, gram
	return b.left, b.right
}

// staleWeights is the part of the weights that may have moved: conjugate gradients took as many steps as with new ones.
const staleWeights = 0.3

// serves says that L and R are those of such weights, but for a part of them.
func (b *basis) serves(weights []float64) bool {
	if len(b.weights) != len(weights) {
		return false
	}
	var moved, all float64
	for i, w := range weights {
		moved += math.Abs(w - b.weights[i])
		all += w
	}
	return moved <= staleWeights*all
}

// spectrum is that of K; or its diagonal where features are hardly correlated; or diag(EᵀKE) in the last basis E while the
// rest of EᵀKE is small, which takes 4p³ flops in place of about 20p³, and those at a far higher rate.
func (b *basis) spectrum(k *gcg.Factor) spectrum[float64] {
	if d := k.Diagonal(); offDiagonal(k, d) <= uncorrelated*float64(k.K) {
		return spectrum[float64]{values: d}
	}
	if b.vectors != nil && b.vectors.K == k.K {
		m := gcg.Mul(gcg.Mul(b.vectorsT, k), b.vectors)
		values := make([]float64, k.K)
		for i := range values {
			values[i] = math.Max(m.Row(i)[i], 0)
		}
		if offDiagonal(m, values) <= float64(k.K) {
			return spectrum[float64]{values, b.vectors, b.vectorsT}
		}
	}
	s := newSpectrum(k)
	b.vectors, b.vectorsT = s.vectors, s.vectorsT
	return s
}

// uncorrelated bounds the sum of squares of a feature's correlations with the others, on average, for which the diagonal
// serves: conjugate gradients took as many steps with it, but for a tenth. Where samples are independent the sum is the
// number of features over that of samples.
const uncorrelated = 1.5

// offDiagonal is Σ over i≠j of mᵢⱼ²/(vᵢvⱼ), v being the diagonal of m, which is positive semidefinite.
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
