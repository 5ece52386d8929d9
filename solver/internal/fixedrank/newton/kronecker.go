package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
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

// rooted is S^½KS^½.
func rooted(k *gcg.Factor, sigma []float64) *gcg.Factor {
	g := k.Clone()
	for i, si := range sigma {
		for j, sj := range sigma {
			g.Row(i)[j] *= math.Sqrt(si * sj)
		}
	}
	return g
}

// whitened is the spectrum of S^½KS^½ = YΔYᵀ, with S^½Y in place of Y.
func whitened(k *gcg.Factor, sigma []float64) model.Spectrum[float64] {
	w := model.NewSpectrum(rooted(k, sigma))
	for i, s := range sigma {
		root := math.Sqrt(s)
		for c := range sigma {
			w.Vectors.Row(i)[c] *= root
			w.VectorsT.Row(c)[i] *= root
		}
	}
	return w
}

// A coreEquation is what a Kronecker approximation says of M, with K = PᵀLP and J = QᵀRQ,
//
//	K M J + floor M + λ (Mᵢⱼ - Mⱼᵢ)/(sᵢ+sⱼ) = R,
//
// which no basis makes diagonal: the first term is in those of K and J, the last in that of S, and it couples Mᵢⱼ with Mⱼᵢ. It is
// solved by conjugate gradients of 4k³ flops a step, nothing beside a product with the data, preconditioned by the pairs
// (Mᵢⱼ, Mⱼᵢ) alone.
type coreEquation struct {
	k, j     *gcg.Factor // Small(k, k)
	floor    float64
	bend     *gcg.Factor // λ/(sᵢ+sⱼ)
	own, off *gcg.Factor // the inverse of the pairs' matrices: what Mᵢⱼ takes of Rᵢⱼ, and of Rⱼᵢ

	km, turned, residual *gcg.Factor // work space: of applyTo, of both, and of solveTo
	solver               linalg.ConjugateGradients
}

const (
	// coreAccuracy is that of the residual in the metric of the pairs. With 1e-3 outer conjugate gradients took as many steps,
	// with 0.1 some problems took ten times as long.
	coreAccuracy = 1e-2
	// coreSteps bounds the steps to it: a preconditioner may be worse than that, but must not take longer than the data.
	coreSteps = 100
	// coreFloor is the part of the largest entries of K and J that the floor is: directions that no observation bends.
	coreFloor = 1e-3
)

// newCoreEquation takes K, J (k×k both), S and λ.
func newCoreEquation(k, j *gcg.Factor, sigma []float64, lambda float64) *coreEquation {
	size := len(sigma)
	small := func() *gcg.Factor { return gcg.Small(size, size) }
	e := &coreEquation{k: k, j: j, bend: small(), own: small(), off: small(), km: small(), turned: small(), residual: small()}
	e.solver = linalg.ConjugateGradients{Limit: coreSteps, Accuracy: coreAccuracy}
	to, from := *e.residual, *e.residual // their numbers are those of a call
	e.solver.Multiply = func(h, m, _ []float64) {
		to.Data, from.Data = h, m
		e.applyTo(&to, &from)
	}
	e.solver.Precondition = func(z, r []float64) {
		to.Data, from.Data = z, r
		e.pairsTo(&to, &from)
	}
	e.floor = coreFloor*factor.MaxDiagonal(k)*factor.MaxDiagonal(j) + 1e-300
	for a, sa := range sigma {
		for b, sb := range sigma {
			bend := lambda / (sa + sb)
			e.bend.Row(a)[b] = bend
			if a == b {
				bend = 0
			}
			x, y := k.Row(a)[a]*j.Row(b)[b]+e.floor, k.Row(b)[b]*j.Row(a)[a]+e.floor
			det := x*y + bend*(x+y)
			e.own.Row(a)[b], e.off.Row(a)[b] = (y+bend)/det, bend/det
		}
	}
	return e
}

// applyTo writes the left side for M into dst.
func (e *coreEquation) applyTo(dst, m *gcg.Factor) {
	e.km.MulTo(e.k, m)
	dst.MulTo(e.km, e.j)
	dst.AddScaled(e.floor, m)
	factor.TransposeTo(e.turned, m)
	to, from, turned := dst.Data, m.Data[:len(dst.Data)], e.turned.Data[:len(dst.Data)]
	for i, by := range e.bend.Data[:len(to)] {
		to[i] += by * (from[i] - turned[i])
	}
}

// pairsTo solves for each pair (Mᵢⱼ, Mⱼᵢ) by itself.
func (e *coreEquation) pairsTo(z, r *gcg.Factor) {
	factor.TransposeTo(e.turned, r)
	to, from, turned, off := z.Data, r.Data[:len(z.Data)], e.turned.Data[:len(z.Data)], e.off.Data[:len(z.Data)]
	for i, by := range e.own.Data[:len(to)] {
		to[i] = by*from[i] + off[i]*turned[i]
	}
}

// solveTo writes the solution M for R = r into z.
func (e *coreEquation) solveTo(z, r *gcg.Factor) {
	copy(e.residual.Data, r.Data)
	e.solver.Solve(z.Data, e.residual.Data)
}

// A kroneckerSide inverts A ↦ L A J + λ A S⁻¹ with L = EΛEᵀ and S^½JS^½ = YΔYᵀ, and B alike: see kronecker.
type kroneckerSide[T gcg.Real] struct {
	left, right model.Spectrum[T] // L, and S^½JS^½ with S^½Y in place of its vectors
	inverse     *gcg.FactorOf[T]  // 1/(ΛᵢΔ_c + λ)
	x, y        *gcg.FactorOf[T]  // work space
}

// flatFloor is the part of ‖L‖‖S^½JS^½‖ that is added to λ: in a ball that is not active λ is 0.
const flatFloor = 1e-6

// newKroneckerSide is for an A or B of so many rows.
func newKroneckerSide[T gcg.Real](rows int, left, right model.Spectrum[T], lambda float64) *kroneckerSide[T] {
	if left.Vectors != nil {
		rows = left.Vectors.Rows // of a Small
	}
	k := len(right.Values)
	s := &kroneckerSide[T]{left, right, gcg.NewFactorOf[T](rows, k), gcg.NewFactorOf[T](rows, k), gcg.NewFactorOf[T](rows, k)}
	floor := lambda + flatFloor*left.Top()*right.Top() + 1e-300
	for i, l := range left.Values {
		row := s.inverse.Row(i)
		for c, d := range right.Values {
			row[c] = T(1 / (l*d + floor))
		}
	}
	return s
}

// solveTo writes the solution for r into z.
func (s *kroneckerSide[T]) solveTo(z, r *gcg.FactorOf[T]) {
	if s.left.Vectors == nil {
		s.x.MulTo(r, s.right.Vectors)
		factor.Multiply(s.x, s.x, s.inverse)
		z.MulTo(s.x, s.right.VectorsT)
		return
	}
	s.x.TMulTo(s.left.Unpadded(), r)
	s.y.MulTo(s.x, s.right.Vectors)
	factor.Multiply(s.y, s.y, s.inverse)
	s.x.MulTo(s.y, s.right.VectorsT)
	z.MulTo(s.left.Unpadded(), s.x)
}
