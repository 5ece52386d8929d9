package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A tangent is P M Qᵀ + A Qᵀ + P Bᵀ: M is a Small(k, k), A is m×k with PᵀA = 0, B is n×k with QᵀB = 0.
type tangent struct{ m, a, b *gcg.Factor }

func (t tangent) dot(o tangent) float64 { return t.m.Dot(o.m) + t.a.Dot(o.a) + t.b.Dot(o.b) }

func (t tangent) clone() tangent { return tangent{t.m.Clone(), t.a.Clone(), t.b.Clone()} }

func (t tangent) copyTo(dst tangent) {
	copy(dst.m.Data, t.m.Data)
	copy(dst.a.Data, t.a.Data)
	copy(dst.b.Data, t.b.Data)
}

func (t tangent) addScaled(c float64, o tangent) {
	t.m.AddScaled(c, o.m)
	t.a.AddScaled(c, o.a)
	t.b.AddScaled(c, o.b)
}

func (t tangent) scale(c float64) {
	t.m.Scale(c)
	t.a.Scale(c)
	t.b.Scale(c)
}

// precondition writes the preconditioned r into z, in the tangent space. Where a ball is active tr M = 0 is kept, in the metric of the
// preconditioner.
func (n *newton) precondition(z, r tangent) {
	n.pre.applyTo(z, r)
	z.a.Project(n.left)
	z.b.Project(n.right)
	if !n.active {
		return
	}
	var trace, unit float64
	for i := range n.k() {
		trace += z.m.Row(i)[i]
		unit += n.unit.m.Row(i)[i]
	}
	z.m.AddScaled(-trace/unit, n.unit.m)
}

// unitCore is the preconditioner applied to M = I.
func (n *newton) unitCore() tangent {
	t := n.grad.clone()
	t.scale(0)
	for i := range n.k() {
		t.m.Row(i)[i] = 1
	}
	z := t.clone()
	n.pre.applyTo(z, t)
	return z
}

// hessian writes the second derivative of F along the curve of Local, applied to t, into dst. It overwrites the work space.
func (n *newton) hessian(dst, t tangent) {
	du, dv := n.work.a, n.work.b
	copy(du.Data, t.a.Data)
	du.AddMul(n.left, t.m)
	copy(dv.Data, t.b.Data)
	scaleByColumn(du, n.rootInv)
	scaleByColumn(dv, n.rootInv)
	n.model.curvatureTo(dst.a, dst.b, n.u, n.v, du, dv)
	scaleByColumn(dst.a, n.rootInv)
	scaleByColumn(dst.b, n.rootInv)
	copy(dst.m.Data, dst.a.Project(n.left).Data)
	dst.b.Project(n.right)
	n.decouple(dst, t)

	var trace float64
	for i, si := range n.sigma {
		trace += t.m.Row(i)[i]
		for j, sj := range n.sigma {
			dst.m.Row(i)[j] += n.slope * (t.m.Row(i)[j] - t.m.Row(j)[i]) / (si + sj)
		}
	}
	for i := range n.sigma {
		dst.m.Row(i)[i] += n.curve * trace
	}
	addByColumn(dst.a, n.stiff, t.a)
	addByColumn(dst.b, n.stiff, t.b)
}

// decouple takes out what the curvature of the factors has between M and B, ⟨G, P M S⁻¹Bᵀ⟩: the curve of Local has no such
// term.
func (n *newton) decouple(dst, t tangent) {
	by := gcg.TMul(n.grad.b, t.b)
	scaleByColumn(by, n.inverse)
	dst.m.AddScaled(-1, by)
	m := t.m.Clone()
	m.Scale(-1)
	scaleByColumn(m, n.inverse)
	dst.b.AddMul(n.grad.b, m)
}

// scaleByColumn is F diag(by).
func scaleByColumn(f *gcg.Factor, by []float64) {
	for i := range f.Rows {
		row := f.Row(i)
		for c, x := range by[:len(row)] {
			row[c] *= x
		}
	}
}

// addByColumn adds G diag(by) to F.
func addByColumn(f *gcg.Factor, by []float64, g *gcg.Factor) {
	for i := range f.Rows {
		row, other := f.Row(i), g.Row(i)
		for c, x := range by[:len(row)] {
			row[c] += x * other[c]
		}
	}
}

// A waypoint is a step with its length in the preconditioner's metric and the decrease that the model promises.
type waypoint struct {
	x                tangent
	length, promised float64
}

// conjugateGradient minimises the quadratic model within the trust region [Steihaug 1983]: it stops at the boundary, at a
// direction of negative curvature, or when the residual is small beside the gradient. It returns its way: points of about
// doubling lengths, the last of which is the step.
func (n *newton) conjugateGradient(limit int) (path []waypoint) {
	n.expected = math.Inf(1)
	r := n.grad.clone()
	r.scale(-1)
	x := r.clone()
	x.scale(0)
	z := r.clone()
	n.precondition(z, r)
	d := z.clone()
	h := z // never needed at the same time
	rz := r.dot(z)
	start := rz
	var promised float64
	xx, xd, dd := 0.0, 0.0, rz // lengths in the preconditioner's metric
	radius2 := n.radius * n.radius
	if !n.sharp {
		limit = min(limit, blurLimit)
	}
	it := 0
	for ; it < limit && rz > 0; it++ {
		n.hessian(h, d)
		n.products++
		curve := d.dot(h)
		alpha := rz / curve
		if curve <= 0 || xx+2*alpha*xd+alpha*alpha*dd > radius2 {
			if curve <= 0 && math.IsInf(radius2, 1) {
				if it > 0 {
					break
				}
				alpha = 1 // no scale is known: a preconditioned gradient step
			} else {
				alpha = (-xd + math.Sqrt(xd*xd+dd*(radius2-xx))) / dd
			}
			x.addScaled(alpha, d)
			xx += 2*alpha*xd + alpha*alpha*dd
			promised += alpha*rz - alpha*alpha*curve/2
			break
		}
		x.addScaled(alpha, d)
		promised += alpha * rz / 2
		r.addScaled(-alpha, h)
		n.precondition(z, r)
		next := r.dot(z)
		beta := next / rz
		xx += 2*alpha*xd + alpha*alpha*dd
		xd = beta * (xd + alpha*dd)
		dd = next + beta*beta*dd
		rz = next
		if it%checkEvery == checkEvery-1 {
			n.expected = n.foretold(r)
		}
		if math.Sqrt(rz/start) < n.forcing() || n.expected <= math.Max(0.7*n.goal, n.doubt*n.inner) {
			break
		}
		if length := math.Sqrt(xx); len(path) == 0 || length > 2*path[len(path)-1].length {
			path = append(lastOf(path), waypoint{x.clone(), length, promised})
		}
		d.scale(beta)
		d.addScaled(1, z)
	}
	if it >= min(limit, blurLimit) && limit > growthCG {
		n.sharp = true
		n.model.sharpen()
	}
	return append(path, waypoint{x, math.Sqrt(xx), promised})
}

// lastOf makes room for one more waypoint: of the factors of the largest sides memory holds few.
func lastOf(path []waypoint) []waypoint {
	if len(path) < waypoints {
		return path
	}
	copy(path, path[len(path)-waypoints+1:])
	return path[:waypoints-1]
}

// waypoints are kept besides the step.
const waypoints = 3

// shorten drops the end of the way beyond a length; where nothing is left, the first step is scaled down, along which the
// model is a parabola.
func (n *newton) shorten(path []waypoint, length float64) []waypoint {
	for len(path) > 1 {
		path = path[:len(path)-1]
		if path[len(path)-1].length <= length {
			return path
		}
	}
	w := path[0]
	t := length / w.length
	slope := -n.grad.dot(w.x)
	bend := slope - w.promised // half of the curvature
	w.x.scale(t)
	return []waypoint{{w.x, length, t*slope - t*t*bend}}
}

// blurLimit is the number of conjugate gradient steps after which products are made as accurate as they can be.
const blurLimit = 80

// checkEvery is the number of conjugate gradient steps between looks at the gap that the model foretells.
const checkEvery = 3

// learn sets how much of the inner gap the next model is expected to be wrong by: what the last one was [Eisenstat and Walker
// 1996, choice 1].
func (n *newton) learn(before float64) {
	if !math.IsInf(n.expected, 1) {
		n.doubt = math.Min(0.2, math.Max(0.02, math.Abs(n.inner-n.expected)/before))
	}
}

// foretold is the inner gap at the step where the model has the residual r, by estimates of the norms.
func (n *newton) foretold(r tangent) float64 {
	over := linalg.Norm2(n.slope+roughNorm(r.m), roughNorm(r.a), roughNorm(r.b), tailGuess*n.slope) - n.slope
	return over * n.rho() / math.Max(math.Abs(n.f), 1e-300)
}

// roughNorm is about ‖F‖₂, from below: power steps on the Gram matrix.
func roughNorm(f *gcg.Factor) float64 {
	g := gcg.TMul(f, f)
	x := make([]float64, g.Stride)
	for c := range g.K {
		x[c] = math.Sqrt(math.Max(g.Row(c)[c], 0))
	}
	var square float64
	y := make([]float64, g.Stride)
	for range 12 {
		norm := gcg.Norm(x)
		if norm == 0 {
			return 0
		}
		kernel.Scale(1/norm, x)
		clear(y)
		for c := range g.K {
			kernel.Axpy(x[c], g.Row(c), y)
		}
		square = kernel.Dot(x, y)
		x, y = y, x
	}
	return math.Sqrt(math.Max(square, 0))
}

// forcing is the accuracy of the Newton equation: what the goal needs, and no more than the model is worth.
func (n *newton) forcing() float64 {
	return math.Min(0.2, math.Max(1e-3, n.goal/n.inner))
}

// retract moves to (P T + A)(Q + B T⁻¹)ᵀ with T = S + M, see curveEnd for the inverse. Directions in which T is not
// positive would flip the sign of a singular value, where the trace norm has a kink: they are dropped, and come back by the
// polar if that was wrong.
func (n *newton) retract(t tangent) {
	core := t.m.Clone()
	for i, s := range n.sigma {
		core.Row(i)[i] += s
	}
	inverse, dead := n.curveEnd(core)
	u, v := t.a.Clone(), n.right.Clone()
	u.AddMul(n.left, core)
	v.AddMul(t.b, inverse)
	if dead != nil {
		c := gcg.Mul(u, dead)
		c.Scale(-1)
		u.AddMul(c, gcg.SmallOf(dead.Dense(n.k()).T()))
	}
	n.left, n.sigma, n.right = gcg.SVD(u, v, 1e-13)
}

// curveEnd is the inverse of the symmetric part of T, and a basis of its eigenvectors whose eigenvalues are not positive, or
// nil. An eigenvalue that has fallen far below that of S counts as a quarter of it: what A and B do there is of no weight, and
// must not grow.
func (n *newton) curveEnd(core *gcg.Factor) (inverse, dead *gcg.Factor) {
	k := n.k()
	values, q := core.SymEigen(true) // ascending
	z := gcg.SmallOf(q)
	scaled := z.Clone()
	for c, x := range values {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		scaled.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	inverse = gcg.Mul(scaled, gcg.SmallOf(q.T()))
	count := 0
	for count < k && values[count] <= 1e-10*values[k-1] {
		count++
	}
	if count > 0 {
		dead = gcg.SmallOf(q.Slice(0, k, 0, count))
	}
	return inverse, dead
}
