package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"gonum.org/v1/gonum/mat"
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

// norm is the length of o in the metric whose diagonal t holds.
func (t tangent) norm(o tangent) float64 {
	var s float64
	for _, pair := range [3][2]*gcg.Factor{{t.m, o.m}, {t.a, o.a}, {t.b, o.b}} {
		for i, d := range pair[0].Data {
			s += d * pair[1].Data[i] * pair[1].Data[i]
		}
	}
	return math.Sqrt(s)
}

// precondition computes the diagonal of the Hessian: for A, the observed squares of Q in each row and λ/s; for B likewise;
// for M, the observed squares of both.
func (n *newton) precondition() {
	da, db := n.model.diagonal(n.left, n.right)
	dm := gcg.TMul(squares(n.left), da)
	top := math.Max(maxOf(dm), 1e-300)
	for i := range n.k() {
		row := dm.Row(i)
		for c := range n.k() {
			row[c] += 1e-3 * top
		}
	}
	for _, d := range []*gcg.Factor{da, db} {
		for i := range d.Rows {
			row := d.Row(i)
			for c, s := range n.sigma {
				row[c] += n.slope/s + 1e-3*top
			}
		}
	}
	n.diag = tangent{dm, da, db}
}

func maxOf(f *gcg.Factor) float64 {
	var top float64
	for _, x := range f.Data {
		top = math.Max(top, x)
	}
	return top
}

// solveDiag writes the preconditioned r into z: the inverse diagonal, with the symmetric and the skew part of M apart, projected back to
// the tangent space.
func (n *newton) solveDiag(z, r tangent) {
	r.copyTo(z)
	for i := range n.k() {
		for j := range i {
			d := (n.diag.m.Row(i)[j] + n.diag.m.Row(j)[i]) / 2
			skew := d + 2*n.slope/(n.sigma[i]+n.sigma[j])
			x, y := r.m.Row(i)[j], r.m.Row(j)[i]
			z.m.Row(i)[j] = (x+y)/(2*d) + (x-y)/(2*skew)
			z.m.Row(j)[i] = (x+y)/(2*d) - (x-y)/(2*skew)
		}
		z.m.Row(i)[i] = r.m.Row(i)[i] / n.diag.m.Row(i)[i]
	}
	if n.active {
		n.traceless(z.m)
	}
	divide(z.a, n.diag.a, n.k())
	divide(z.b, n.diag.b, n.k())
	z.a.Project(n.left)
	z.b.Project(n.right)
}

func divide(x, d *gcg.Factor, k int) {
	for i := range x.Rows {
		row, by := x.Row(i), d.Row(i)
		for c := range k {
			row[c] /= by[c]
		}
	}
}

// traceless makes tr M = 0, in the metric of the preconditioner.
func (n *newton) traceless(m *gcg.Factor) {
	var trace, sum float64
	for i := range n.k() {
		trace += m.Row(i)[i]
		sum += 1 / n.diag.m.Row(i)[i]
	}
	for i := range n.k() {
		m.Row(i)[i] -= trace / sum / n.diag.m.Row(i)[i]
	}
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
	r := n.grad.clone()
	r.scale(-1)
	x := r.clone()
	x.scale(0)
	z, h := r.clone(), r.clone()
	n.solveDiag(z, r)
	d := z.clone()
	rz := r.dot(z)
	start := rz
	var promised float64
	xx, xd, dd := 0.0, 0.0, rz // lengths in the preconditioner's metric
	radius2 := n.radius * n.radius
	for it := 0; it < limit && rz > 0; it++ {
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
			promised += alpha*rz - alpha*alpha*curve/2
			break
		}
		x.addScaled(alpha, d)
		promised += alpha * rz / 2
		r.addScaled(-alpha, h)
		n.solveDiag(z, r)
		next := r.dot(z)
		beta := next / rz
		xx += 2*alpha*xd + alpha*alpha*dd
		xd = beta * (xd + alpha*dd)
		dd = next + beta*beta*dd
		rz = next
		if math.Sqrt(rz/start) < n.forcing() {
			break
		}
		if length := math.Sqrt(xx); len(path) == 0 || length > 2*path[len(path)-1].length {
			path = append(path, waypoint{x.clone(), length, promised})
		}
		d.scale(beta)
		d.addScaled(1, z)
	}
	return append(path, waypoint{x, n.diag.norm(x), promised})
}

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
		u.AddMul(c, transposeSmall(dead, n.k()))
	}
	n.left, n.sigma, n.right = gcg.SVD(u, v, 1e-13)
}

// curveEnd is the inverse of the symmetric part of T, and a basis of its eigenvectors whose eigenvalues are not positive, or
// nil. An eigenvalue that has fallen far below that of S counts as a quarter of it: what A and B do there is of no weight, and
// must not grow.
func (n *newton) curveEnd(core *gcg.Factor) (inverse, dead *gcg.Factor) {
	k := n.k()
	sym := mat.NewSymDense(k, nil)
	for i := range k {
		for j := i; j < k; j++ {
			sym.SetSym(i, j, (core.Row(i)[j]+core.Row(j)[i])/2)
		}
	}
	var eig mat.EigenSym
	if !eig.Factorize(sym, true) {
		panic("solver: symmetric eigendecomposition did not converge")
	}
	values := eig.Values(nil) // ascending
	var q mat.Dense
	eig.VectorsTo(&q)
	z := gcg.SmallOf(&q)
	scaled := z.Clone()
	for c, x := range values {
		var before float64
		for i, s := range n.sigma {
			before += s * z.Row(i)[c] * z.Row(i)[c]
		}
		scaled.ScaleColumn(c, 1/math.Max(x, before/4))
	}
	inverse = gcg.Mul(scaled, transposeSmall(z, k))
	count := 0
	for count < k && values[count] <= 1e-10*values[k-1] {
		count++
	}
	if count > 0 {
		dead = gcg.SmallOf(q.Slice(0, k, 0, count))
	}
	return inverse, dead
}

func transposeSmall(x *gcg.Factor, k int) *gcg.Factor {
	return gcg.SmallOf(x.Dense(k).T())
}
