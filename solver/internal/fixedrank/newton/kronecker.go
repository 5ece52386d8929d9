package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A kronecker approximates the Hessian of F at P S Qᵀ by that of a loss whose second derivative is ⟨X, L X R⟩ with
// symmetric L (m×m) and R (n×n). With K = PᵀLP and J = QᵀRQ that is
//
//	A ↦ L A J + λ A S⁻¹,   B ↦ R B K + λ B S⁻¹,   M ↦ K M J + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ)
//
// and, between M and A, (I - PPᵀ)L P M J and its transpose: features are correlated, and P is nothing like eigenvectors of L.
// What couples B is left out. A and B are inverted in bases in which they are diagonal. For A, with L = EΛEᵀ and
// S^½JS^½ = YΔYᵀ, the inverse is
//
//	A ↦ E [ (EᵀA S^½Y)_ic / (ΛᵢΔ_c + λ) ] (S^½Y)ᵀ
//
// which need not be orthogonal to P: that is for the caller to mend. For M see coreEquation.
type kronecker[T gcg.Real] struct {
	a, b *kroneckerSide[T]
	core *coreEquation
	lp   *gcg.FactorOf[T] // (I - PPᵀ) L P, or nil where that is little beside PᵀLP

	residual *gcg.FactorOf[T] // work space: r_A - (I-PPᵀ) L P M J,
	by, mj   *gcg.Factor      // k×k, and
	small    *gcg.FactorOf[T] // k×k in T
}

// newKronecker takes L and R at the present point.
func newKronecker[T gcg.Real](n *Iteration, left, right model.Spectrum[float64]) *kronecker[T] {
	p, l, r := gcg.FactorIn[T](n.left), model.SpectrumIn[T](left), model.SpectrumIn[T](right)
	lp := l.Times(p)
	k, j := gcg.FactorIn[float64](lp.Project(p)), gcg.FactorIn[float64](r.Compress(gcg.FactorIn[T](n.right)))
	pre := &kronecker[T]{
		core: newCoreEquation(k, j, n.sigma, n.lambda),
		b:    newKroneckerSide(n.right.Rows, r, model.SpectrumIn[T](whitened(k, n.sigma)), n.lambda),
	}
	if p.K < p.Rows {
		pre.a = newKroneckerSide(n.left.Rows, l, model.SpectrumIn[T](whitened(j, n.sigma)), n.lambda)
	}
	if wide := gcg.FactorIn[float64](lp); wide.Dot(wide) > uncoupled*k.Dot(k) { // squares may be out of float32's range
		pre.lp, pre.residual, pre.small = lp, factor.Blank(lp), gcg.SmallIn[T](p.K, p.K)
		pre.by, pre.mj = factor.Blank(k), factor.Blank(k)
	}
	return pre
}

// uncoupled is the square of the part of L that couples A with M below which that is left out: conjugate gradients took as
// many steps without.
const uncoupled = 0.01

// repay gives its work space back.
func (k *kronecker[T]) repay() {
	gcg.Repay(k.by, k.mj)
	gcg.Repay(k.residual, k.small)
}

// CoreTo writes the preconditioned M, without what couples it with A.
func (k *kronecker[T]) CoreTo(z, r *gcg.Factor) { k.core.solveTo(z, r) }

// blocksTo continues from M with a symmetric Gauss-Seidel step: A for what M leaves of r, and then M for what A changes.
func (k *kronecker[T]) blocksTo(z, r tangent[T]) {
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
	k.residual.MulTo(k.lp, k.small)
	k.residual.Scale(-1)
	k.residual.AddScaled(1, r.a)
	k.a.solveTo(z.a, k.residual)
	k.small.TMulTo(k.lp, z.a)
	kernel.Convert(k.by.Data, k.small.Data)
	k.mj.MulTo(k.by, k.core.j)
	k.core.solveTo(k.by, k.mj)
	z.m.AddScaled(-1, k.by)
}

// whitened is the spectrum of S^½KS^½ = YΔYᵀ, with S^½Y in place of Y.
func whitened(k *gcg.Factor, sigma []float64) model.Spectrum[float64] {
	g := k.Clone()
	for i, si := range sigma {
		for j, sj := range sigma {
			g.Row(i)[j] *= math.Sqrt(si * sj)
		}
	}
	w := model.NewSpectrum(g)
	for i, s := range sigma {
		root := math.Sqrt(s)
		for c := range sigma {
			w.Vectors.Row(i)[c] *= root
			w.VectorsT.Row(c)[i] *= root
		}
	}
	return w
}
