package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// bilinear is the second-order model of L(A(U Vᵀ)) + λ/2 (‖U‖² + ‖V‖²), the local objective of [Yu17 Algorithm 3], at the
// balanced factors U = P S^½, V = Q S^½, where it is F. Its coordinates are dU and dV themselves, A and B of a tangent
// without M. A product with the Hessian is a pass over the observations, without the eleven products of factors with k×k
// matrices that a tangent takes.
//
// It lowers the gradient in A and B, which differ from dU and dV by S^½, as fast as tangents do. It does not lower that in M
// between directions of small singular values: along dU = P S^½ Ω, dV = Q S^½ Ω with skew Ω the curvature of the trace norm is 0,
// and λ is on the diagonal here. See core.
//
// Where ‖G‖ is above λ, the model is not convex: -2⟨G, dU dVᵀ⟩ outweighs λ(‖dU‖² + ‖dV‖²) along pairs of G in columns of small
// singular values, and conjugate gradients would end there. With the excess ‖G‖ - λ added to λ they do not.
type bilinear[T gcg.Real] struct {
	n         *Iteration
	curvature model.Curvature[T]
	p, q      *gcg.FactorOf[T] // P and Q
	u, v      *gcg.FactorOf[T] // P S^½ and Q S^½, as the observations see them
	grad      tangent[T]
	pre       preconditioner[T]
	raised    float64 // λ, and what ‖G‖ is above it, about
}

// newBilinear takes the memory of the gradient.
func newBilinear[T gcg.Real](n *Iteration, c model.Curvature[T]) *bilinear[T] {
	q := &bilinear[T]{n: n, curvature: c, p: gcg.FactorIn[T](n.left), q: gcg.FactorIn[T](n.right)}
	q.raised = n.lambda + n.above(n.norms)
	left, right, fresh := c.Observed(q.p, q.q)
	q.u, q.v = factor.ScaleColumns(left, n.sigma, 0.5), factor.Everywhere(factor.ScaleColumns(right, n.sigma, 0.5))
	q.grad = tangent[T]{gcg.Small(0, 0), factorGradient[T](n, n.left, n.grad.gq), factorGradient[T](n, n.right, n.grad.gp)}
	gcg.Repay(n.grad.m)
	n.grad = gradient{}
	if c.Grams != nil {
		q.raised = n.lambda + framedExcess*n.above(n.norms)
		q.pre = framedInverse(n, c, left, right, q.raised)
	} else {
		q.pre = bilinearInverse[T](n, newAverage(n, c, left, right))
	}
	if fresh {
		gcg.Repay(left, right)
	}
	return q
}

// factorGradient is (λP - GQ) S^½, the gradient in U. It takes the memory of G Q.
func factorGradient[T gcg.Real](n *Iteration, p, gq *gcg.Factor) *gcg.FactorOf[T] {
	gq.AddScaled(-n.lambda, p)
	by := make([]float64, p.Stride)
	for c, s := range n.sigma {
		by[c] = -math.Sqrt(s)
	}
	gq.ScaleColumns(by)
	g := gcg.FactorIn[T](gq)
	factor.RepayIn(gq, g)
	return g
}

func (q *bilinear[T]) kind() kind { return inFactors }

// Gradient is that in U and V.
func (q *bilinear[T]) Gradient() tangent[T] { return q.grad }

// hessian is a pass of the curvature, with the raised λ.
func (q *bilinear[T]) hessian(dst, t tangent[T]) {
	q.curvature.To(dst.a, dst.b, q.u, q.v, t.a, t.b)
	dst.a.AddScaled(T(q.raised), t.a)
	dst.b.AddScaled(T(q.raised), t.b)
}

// precondition writes the preconditioned dU and dV.
func (q *bilinear[T]) precondition(z, r tangent[T]) { q.pre.blocksTo(z, r) }

// predicted divides by S^½ and takes out what lies in M.
func (q *bilinear[T]) predicted(r tangent[T]) norms {
	a, b := factor.ScaleColumns(r.a, q.n.sigma, -0.5), factor.ScaleColumns(r.b, q.n.sigma, -0.5)
	defer gcg.Repay(a, b)
	var n norms
	q.p.Do(
		func() { n.a = factor.RoughOutside(a, gcg.TMul(q.p, a)) },
		func() { n.b = factor.RoughOutside(b, gcg.TMul(q.q, b)) },
	)
	return n
}

// retract moves to (U + dU)(V + dV)ᵀ, without the directions that the step takes nearly to 0: in factors a singular value
// comes to 0 only in the limit.
func (q *bilinear[T]) retract(t tangent[T]) {
	n, before := q.n, q.n.sigma
	u, v := n.factors()
	a, b := gcg.FactorIn[float64](t.a), gcg.FactorIn[float64](t.b)
	u.AddScaled(1, a)
	v.AddScaled(1, b)
	factor.RepayIn(a, t.a)
	factor.RepayIn(b, t.b)
	n.left, n.sigma, n.right = gcg.SVD(u, v, nullPart)
	gcg.Repay(u, v)
	keep := n.K()
	for keep > 0 && n.sigma[keep-1] < vanished*before[keep-1] {
		keep--
	}
	if keep < n.K() {
		var gone []int
		for c := keep; c < n.K(); c++ {
			gone = append(gone, c)
		}
		n.RememberDropped(factor.Pick(n.right, gone))
		n.left, n.sigma, n.right = n.left.Widen(keep), n.sigma[:keep], n.right.Widen(keep)
	}
}

// repay gives its memory back.
func (q *bilinear[T]) repay() {
	factor.RepayNarrow(q.p, q.q)
	gcg.Repay(q.u, q.v)
	q.pre.repay()
}

// framedExcess is the part of the excess that λ is raised by where the operator observes L W Rᵀ: most of it is along what all
// columns of L share, where the loss bends. With 1 steps are too short where it is flat, and the last ones of MovieLens-1M with
// lists take 1.3 times as long; with a quarter negative curvature ends more of the first ones.
const framedExcess = 0.5

// vanished is the part of the singular value of the same place before a step below which one counts as going to 0.
const vanished = 0.05
