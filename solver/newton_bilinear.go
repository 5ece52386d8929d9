package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// bilinear is the second-order model of L(A(U Vᵀ)) + λ/2 (‖U‖² + ‖V‖²), the local objective of [Yu17 Algorithm 3], at the balanced factors
// U = P S^½, V = Q S^½, where it is F. Its coordinates are dU and dV themselves, the sides of a tangent without M: a product with the
// Hessian is a pass over the observations, without the eleven products of factors with k×k matrices that a tangent takes. It lowers
// the gradient in A and B, which differ from dU and dV there by S^½, as fast as tangents do, but not that in M between directions of
// small singular values, along U turned like -V: there the curvature is 0 for the trace norm and λ on the diagonal. See core.
//
// Where ‖G‖ is above λ, the model is not convex: -2⟨G, dU dVᵀ⟩ outweighs λ(‖dU‖² + ‖dV‖²) along pairs of G in columns of small singular
// values, and conjugate gradients would end there. With the excess added to λ, which goes to 0 with it, they do not.
type bilinear[T gcg.Real] struct {
	n         *newton
	curvature curvature[T]
	p, q      *gcg.FactorOf[T] // P and Q
	u, v      *gcg.FactorOf[T] // P S^½ and Q S^½
	grad      tangent[T]
	pre       *tail[T]
	slope     float64 // λ, and what ‖G‖ is above it, about
}

// newBilinear takes the gradient over.
func newBilinear[T gcg.Real](n *newton, c curvature[T]) *bilinear[T] {
	q := &bilinear[T]{n: n, curvature: c, p: gcg.FactorIn[T](n.left), q: gcg.FactorIn[T](n.right), slope: n.slope + n.above(n.norms)}
	q.u, q.v = scaleColumns(q.p, n.sigma, 0.5), scaleColumns(q.q, n.sigma, 0.5)
	q.grad = tangent[T]{gcg.Small(0, 0), outward[T](n, n.left, n.grad.gq), outward[T](n, n.right, n.grad.gp)}
	gcg.Repay(n.grad.m)
	n.grad = gradient{}
	q.pre = bilinearInverse[T](n, newAverage(n, c))
	return q
}

// outward is (λP - GQ) S^½, the gradient in U; it takes G Q over.
func outward[T gcg.Real](n *newton, p, gq *gcg.Factor) *gcg.FactorOf[T] {
	gq.AddScaled(-n.slope, p)
	by := make([]float64, p.Stride)
	for c, s := range n.sigma {
		by[c] = -math.Sqrt(s)
	}
	gq.ScaleColumns(by)
	g := gcg.FactorIn[T](gq)
	repayIn(gq, g)
	return g
}

func (q *bilinear[T]) kind() kind { return sideways }

func (q *bilinear[T]) gradient() tangent[T] { return q.grad }

func (q *bilinear[T]) hessian(dst, t tangent[T]) {
	q.curvature.to(dst.a, dst.b, q.u, q.v, t.a, t.b)
	dst.a.AddScaled(T(q.slope), t.a)
	dst.b.AddScaled(T(q.slope), t.b)
}

func (q *bilinear[T]) precondition(z, r tangent[T]) { q.pre.sidesTo(z, r) }

// predicted divides by S^½ and takes out what lies in M.
func (q *bilinear[T]) predicted(r tangent[T]) norms {
	a, b := scaleColumns(r.a, q.n.sigma, -0.5), scaleColumns(r.b, q.n.sigma, -0.5)
	defer gcg.Repay(a, b)
	var n norms
	par.Do(
		func() { n.a = roughOutside(a, gcg.TMul(q.p, a)) },
		func() { n.b = roughOutside(b, gcg.TMul(q.q, b)) },
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
	repayIn(a, t.a)
	repayIn(b, t.b)
	n.left, n.sigma, n.right = gcg.SVD(u, v, 1e-13)
	gcg.Repay(u, v)
	keep := n.k()
	for keep > 0 && n.sigma[keep-1] < vanished*before[keep-1] {
		keep--
	}
	if keep < n.k() {
		var gone []int
		for c := keep; c < n.k(); c++ {
			gone = append(gone, c)
		}
		n.lose(pick(n.right, gone))
		n.left, n.sigma, n.right = n.left.Widen(keep), n.sigma[:keep], n.right.Widen(keep)
	}
}

func (q *bilinear[T]) repay() {
	repayNarrow(q.p, q.q)
	gcg.Repay(q.u, q.v)
	q.pre.repay()
	gcg.Repay(q.pre.x, q.pre.y) // in float64 too: pairs beside others are new
}

// vanished is the part of the singular value of the same rank before a step below which one counts as on its way to 0.
const vanished = 0.05
