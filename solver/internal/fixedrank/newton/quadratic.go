package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A quadratic is the second-order model of F at P S Qᵀ, on tangent vectors in T. In float32 conjugate gradients take half of
// the memory and the time; each Newton step starts from a gradient in float64.
type quadratic[T gcg.Real] struct {
	n         *Iteration
	curvature model.Curvature[T]
	p, q      *gcg.FactorOf[T] // P and Q
	u, v      *gcg.FactorOf[T] // P S^½ and Q S^½, as the observations see them
	grad      tangent[T]       // of F
	pre       preconditioner[T]
	unit      *tangent[T] // the preconditioned M = I, where a ball is active
	work      tangent[T]  // work space of hessian, and
	wide      *gcg.Factor // a Small(k, k), and one in T
	narrow    *gcg.FactorOf[T]

	rootInv, stiff []T       // s^-½ and λ/s, by column
	inverse        []float64 // 1/s
}

// newQuadratic takes the memory of the gradient.
func newQuadratic[T gcg.Real](n *Iteration, c model.Curvature[T]) *quadratic[T] {
	q := &quadratic[T]{n: n, curvature: c, p: gcg.FactorIn[T](n.left), q: gcg.FactorIn[T](n.right)}
	q.grad = tangentIn[T](n.projected())
	left, right, fresh := c.Observed(q.p, q.q)
	q.u, q.v = factor.ScaleColumns(left, n.sigma, 0.5), factor.Everywhere(factor.ScaleColumns(right, n.sigma, 0.5))
	if fresh {
		gcg.Repay(left, right)
	}
	q.rootInv, q.stiff, q.inverse = make([]T, q.p.Stride), make([]T, q.p.Stride), make([]float64, q.p.Stride)
	for c, s := range n.sigma {
		q.rootInv[c], q.stiff[c], q.inverse[c] = T(1/math.Sqrt(s)), T(n.lambda/s), 1/s
	}
	q.pre = newPreconditioner(n, c) // which takes a few factors of work space of its own
	q.work, q.wide = tangent[T]{nil, factor.Blank(q.p), factor.Blank(q.q)}, gcg.Small(n.K(), n.K())
	q.narrow = gcg.SmallIn[T](n.K(), n.K())
	if n.active {
		one := tangent[T]{gcg.Small(n.K(), n.K()), factor.Blank(q.p), factor.Blank(q.q)}
		for i := range n.K() {
			one.m.Row(i)[i] = 1
		}
		unit := one.zero()
		q.precondition(unit, one)
		q.unit = &unit
	}
	return q
}

// Gradient gives M and A away, and a copy of B, which hessian needs.
func (q *quadratic[T]) Gradient() tangent[T] {
	g := tangent[T]{q.grad.m, q.grad.a, q.grad.b.Clone()}
	q.grad.m, q.grad.a = nil, nil
	return g
}

func (q *quadratic[T]) kind() kind { return inTangents }

// predicted is the norms of what the model leaves of M, A and B.
func (q *quadratic[T]) predicted(r tangent[T]) norms {
	return norms{factor.RoughNorm(r.m), factor.RoughNorm(r.a), factor.RoughNorm(r.b)}
}

// retract moves to (P T + A)(Q + B H⁻¹)ᵀ.
func (q *quadratic[T]) retract(t tangent[T]) { retract(q.n, t) }

// repay gives its memory back.
func (q *quadratic[T]) repay() {
	factor.RepayNarrow(q.p, q.q)
	gcg.Repay(q.u, q.v, q.work.a, q.work.b, q.grad.b)
	q.pre.repay()
}

// precondition writes the preconditioned r, in the tangent space, into z. Where a ball is active it keeps tr M = 0, in the
// metric of the preconditioner.
func (q *quadratic[T]) precondition(z, r tangent[T]) {
	q.pre.CoreTo(z.m, r.m)
	q.pre.blocksTo(z, r)
	gcg.Repay(z.a.Project(q.p), z.b.Project(q.q))
	if u := q.unit; u != nil {
		z.addScaled(-z.m.Trace()/u.m.Trace(), *u)
	}
}

// hessian writes the second derivative of F along the curve of Local, applied to t, into dst. It overwrites the work space.
func (q *quadratic[T]) hessian(dst, t tangent[T]) {
	du, dv := q.work.a, q.work.b
	factor.Copy(du, t.a)
	kernel.Convert(q.narrow.Data, t.m.Data)
	du.AddMul(q.p, q.narrow)
	factor.Copy(dv, t.b)
	du.ScaleColumns(q.rootInv)
	dv.ScaleColumns(q.rootInv)
	q.curvature.To(dst.a, dst.b, q.u, q.v, du, dv)
	dst.a.ScaleColumns(q.rootInv)
	dst.b.ScaleColumns(q.rootInv)
	inside := dst.a.Project(q.p)
	kernel.Convert(dst.m.Data, inside.Data)
	gcg.Repay(inside, dst.b.Project(q.q))
	q.decouple(dst, t)

	AddSkew(dst.m, t.m, q.n.sigma, q.n.lambda)
	bend := q.n.curve * t.m.Trace()
	for i := range q.n.sigma {
		dst.m.Row(i)[i] += bend
	}
	factor.AddByColumn(dst.a, q.stiff, t.a)
	factor.AddByColumn(dst.b, q.stiff, t.b)
}

// decouple takes out what the curvature of the factors has between M and B, ⟨G, P M S⁻¹Bᵀ⟩. The curve of Local has no such
// term where M is symmetric, and the skew part of M goes to 0 faster than the rest, as the trace norm holds it.
func (q *quadratic[T]) decouple(dst, t tangent[T]) {
	q.narrow.TMulTo(q.grad.b, t.b)
	kernel.Convert(q.wide.Data, q.narrow.Data)
	q.wide.ScaleColumns(q.inverse)
	dst.m.AddScaled(-1, q.wide)
	clear(q.wide.Data)
	q.wide.AddScaled(-1, t.m)
	q.wide.ScaleColumns(q.inverse)
	kernel.Convert(q.narrow.Data, q.wide.Data)
	dst.b.AddMul(q.grad.b, q.narrow)
}

// A tangent is P M Qᵀ + A Qᵀ + P Bᵀ: M is a Small(k, k), A is m×k with PᵀA = 0, B is n×k with QᵀB = 0. M is small, and always in
// float64: between directions of tiny singular values the trace norm bends by its skew part alone, a difference that float32
// would lose.
type tangent[T gcg.Real] struct {
	m    *gcg.Factor
	a, b *gcg.FactorOf[T]
}

// tangentIn is t with A and B rounded to T, or t itself where they are in T.
func tangentIn[T, S gcg.Real](t tangent[S]) tangent[T] {
	return tangent[T]{t.m, gcg.FactorIn[T](t.a), gcg.FactorIn[T](t.b)}
}

// dot is ⟨t, o⟩.
func (t tangent[T]) dot(o tangent[T]) float64 { return t.m.Dot(o.m) + t.a.Dot(o.a) + t.b.Dot(o.b) }

// clone is a copy.
func (t tangent[T]) clone() tangent[T] { return tangent[T]{t.m.Clone(), t.a.Clone(), t.b.Clone()} }

// repay gives the memory of t back.
func (t tangent[T]) repay() {
	gcg.Repay(t.m)
	gcg.Repay(t.a, t.b)
}

// zero is 0, in the shape of t.
func (t tangent[T]) zero() tangent[T] {
	return tangent[T]{factor.Blank(t.m), factor.Blank(t.a), factor.Blank(t.b)}
}

// addScaled is t += c·o.
func (t tangent[T]) addScaled(c float64, o tangent[T]) {
	t.m.AddScaled(c, o.m)
	t.a.AddScaled(T(c), o.a)
	t.b.AddScaled(T(c), o.b)
}

// scale is t *= c.
func (t tangent[T]) scale(c float64) {
	t.m.Scale(c)
	t.a.Scale(T(c))
	t.b.Scale(T(c))
}

// retract moves to (P T + A)(Q + B H⁻¹)ᵀ, with T = S + M and H its symmetric part, see curveEnd for the inverse. Directions
// in which H is not positive would flip the sign of a singular value, where the trace norm has a kink: they are dropped, and
// the polar brings them back if that was wrong. Both factors are turned by the eigenvectors of H, so that small and
// large values do not mix: the columns are about orthogonal, and the singular value decomposition has nothing to repair.
func retract[T gcg.Real](n *Iteration, t tangent[T]) {
	core := n.moved(t.m)
	z, inverse, dead := n.curveEnd(core)
	if dead.K > 0 {
		n.RememberDropped(gcg.Mul(n.right, dead))
	}
	if z.K == 0 {
		n.left, n.sigma, n.right = gcg.Like[float64](n.left, 0), nil, gcg.Like[float64](n.right, 0)
		return
	}
	u, v := gcg.Mul(n.left, gcg.Mul(core, z)), gcg.Mul(n.right, z)
	factor.AddWide(u, t.a, z)
	factor.AddWide(v, t.b, inverse)
	n.left, n.sigma, n.right = gcg.SVD(u, v, nullPart)
	gcg.Repay(u, v)
}

const (
	// nullPart is the part of the largest singular value below which one is rounding after a step, and its direction goes.
	nullPart = rounding.Product
	// zeroPart is the part of the largest eigenvalue of H below which one counts as 0. Where H⁻¹ is larger B has lost all digits.
	zeroPart = rounding.Decomposed
)

// curveEnd is a basis Z of the eigenvectors of the symmetric part H of T with positive eigenvalues, H⁻¹Z, and a basis of the
// others. An eigenvalue that has fallen far below that of S counts as a quarter of that: A and B have no weight there, and
// must not grow.
func (n *Iteration) curveEnd(core *gcg.Factor) (z, inverse, dead *gcg.Factor) {
	values, z, dead := PositivePart(core, zeroPart)
	inverse = z.Clone()
	for c, x := range values {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		inverse.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	return z, inverse, dead
}

// PositivePart is the eigenvalues of the symmetric part of a Small(k, k) T that exceed a part of the largest, ascending,
// with bases of their eigenvectors and of the others.
func PositivePart(t *gcg.Factor, above float64) (values []float64, z, dead *gcg.Factor) {
	values, e := t.SymEigen(true)
	count := 0
	for count < t.K && values[count] <= above*values[t.K-1] {
		count++
	}
	return values[count:], factor.ColumnsOf(e, count, t.K), factor.ColumnsOf(e, 0, count)
}
