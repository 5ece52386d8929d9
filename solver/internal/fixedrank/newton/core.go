package newton

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// core is the second-order model of F on P (S + M) Qᵀ. A certificate sees the gradient in M first, most in directions of small
// singular values, for which F has hardly anything left to gain. A product takes a third of the pass over the observations that
// those of other coordinates need, and two products of P with a k×k matrix.
type core[T gcg.Real] struct {
	n      *Iteration
	normal func(gx, x, v *gcg.FactorOf[T])
	p, q   *gcg.FactorOf[T] // P and Q, as the observations see them
	fresh  bool             // these are not the factors of n
	grad   *gcg.Factor
	pre    preconditioner[T]
	work   *gcg.FactorOf[T]
}

// newCore takes the memory of the gradient.
func newCore[T gcg.Real](n *Iteration, c model.Curvature[T]) *core[T] {
	q := &core[T]{n: n, normal: c.Normal, grad: n.grad.m}
	p, r := gcg.FactorIn[T](n.left), gcg.FactorIn[T](n.right)
	if q.p, q.q, q.fresh = c.Observed(p, r); q.fresh {
		factor.RepayNarrow(p, r)
	}
	gcg.Repay(n.grad.gq, n.grad.gp)
	n.grad = gradient{}
	if c.Grams != nil {
		q.pre = framedCore(n, c, q.p, q.q)
	} else {
		q.pre = coreJacobi[T](n, newAverage(n, c, q.p, q.q))
	}
	q.work, q.q = factor.Blank(q.p), q.q.Whole()
	return q
}

func (q *core[T]) kind() kind { return inCore }

// Gradient is that in M.
func (q *core[T]) Gradient() tangent[T] { return coreTangent[T](q.grad) }

// coreTangent is M alone.
func coreTangent[T gcg.Real](m *gcg.Factor) tangent[T] {
	return tangent[T]{m, gcg.NewFactorOf[T](0, 0), gcg.NewFactorOf[T](0, 0)}
}

// hessian writes PᵀA*(∇²L A(P M Qᵀ))Q and the second derivative of the trace norm.
func (q *core[T]) hessian(dst, t tangent[T]) {
	m := gcg.FactorIn[T](t.m)
	x := gcg.Mul(q.p, m)
	factor.RepayIn(m, t.m)
	q.normal(q.work, x, q.q)
	gcg.Repay(x)
	m = gcg.TMul(q.p, q.work)
	kernel.Convert(dst.m.Data, m.Data)
	gcg.Repay(m)
	AddSkew(dst.m, t.m, q.n.sigma, q.n.lambda)
}

// AddSkew adds the second derivative of λ times the trace norm at S, applied to M: λ(M_ij - M_ji)/(sᵢ + sⱼ).
func AddSkew(dst, m *gcg.Factor, sigma []float64, lambda float64) {
	for i, si := range sigma {
		for j, sj := range sigma {
			dst.Row(i)[j] += lambda / (si + sj) * (m.Row(i)[j] - m.Row(j)[i])
		}
	}
}

// precondition writes the preconditioned M.
func (q *core[T]) precondition(z, r tangent[T]) { q.pre.CoreTo(z.m, r.m) }

// predicted is the norm of what the model leaves of M.
func (q *core[T]) predicted(r tangent[T]) norms { return norms{m: factor.RoughNorm(r.m)} }

// retract moves to P T Qᵀ, T = S + M, without the directions in which T is not positive, see curveEnd.
func (q *core[T]) retract(t tangent[T]) {
	n := q.n
	end := n.moved(t.m)
	if !end.Definite(zeroPart) {
		z, _, dead := n.curveEnd(end)
		n.RememberDropped(gcg.Mul(n.right, dead))
		end = gcg.Mul(gcg.Mul(end, z), factor.Transposed(z, n.K()))
	}
	n.left, n.sigma, n.right = gcg.TurnedSVD(n.left, end, n.right, nullPart)
}

// repay gives its memory back.
func (q *core[T]) repay() {
	if q.fresh {
		gcg.Repay(q.p, q.q)
	} else {
		factor.RepayNarrow(q.p, q.q)
	}
	gcg.Repay(q.work)
	q.pre.repay()
}

// moved is S + M.
func (n *Iteration) moved(m *gcg.Factor) *gcg.Factor {
	end := m.Clone()
	for i, s := range n.sigma {
		end.Row(i)[i] += s
	}
	return end
}
