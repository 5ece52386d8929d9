package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A waypoint is a step with its length in the preconditioner's metric, the decrease that the gradient alone promises, and that of the
// model.
type waypoint[T gcg.Real] struct {
	x                       tangent[T]
	length, slope, promised float64
}

// conjugateGradient minimises the quadratic model within the trust region [Steihaug 1983]: it stops at the boundary, at a
// direction of negative curvature, or when the residual is small beside the gradient. It returns its way: points of about
// doubling lengths, the last of which is the step. It uses the gradient up.
func (q *quadratic[T]) conjugateGradient(ctx context.Context, limit int) (path []waypoint[T]) {
	n := q.n
	n.expected = math.Inf(1)
	r := tangent[T]{q.grad.m, q.grad.a, q.grad.b.Clone()} // hessian needs b
	q.grad.m, q.grad.a = nil, nil
	r.scale(-1)
	x := r.zero()
	z := r.clone()
	q.precondition(z, r)
	d := z.clone()
	h := z // never needed at the same time
	rz := r.dot(z)
	start := rz
	var slope, promised float64
	xx, xd, dd := 0.0, 0.0, rz // lengths in the preconditioner's metric
	radius2 := n.radius * n.radius
	if !n.sharp {
		limit = min(limit, blurLimit)
	}
	it := 0
	for ; it < limit && rz > 0 && ctx.Err() == nil; it++ {
		q.hessian(h, d)
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
			slope += alpha * rz
			promised += alpha*rz - alpha*alpha*curve/2
			break
		}
		x.addScaled(alpha, d)
		slope += alpha * rz // ⟨r, d⟩ of the start too: directions are conjugate
		promised += alpha * rz / 2
		r.addScaled(-alpha, h)
		q.precondition(z, r)
		next := r.dot(z)
		beta := next / rz
		xx += 2*alpha*xd + alpha*alpha*dd
		xd = beta * (xd + alpha*dd)
		dd = next + beta*beta*dd
		rz = next
		if it%checkEvery == checkEvery-1 {
			n.expected = q.foretold(r)
		}
		if math.Sqrt(rz/start) < n.forcing() || n.expected <= math.Max(0.7*n.goal, n.doubt*n.inner) {
			break
		}
		if length := math.Sqrt(xx); len(path) == 0 || length > 2*path[len(path)-1].length {
			path = append(lastOf(path), waypoint[T]{x.clone(), length, slope, promised})
		}
		d.scale(beta)
		d.addScaled(1, z)
	}
	if it >= min(limit, blurLimit) && limit > growthCG {
		n.sharp = true
		n.model.sharpen()
	}
	return append(path, waypoint[T]{x, math.Sqrt(xx), slope, promised})
}

// lastOf makes room for one more waypoint: of the factors of the largest sides memory holds few.
func lastOf[T gcg.Real](path []waypoint[T]) []waypoint[T] {
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
func shorten[T gcg.Real](path []waypoint[T], length float64) []waypoint[T] {
	for len(path) > 1 {
		path = path[:len(path)-1]
		if path[len(path)-1].length <= length {
			return path
		}
	}
	w := path[0]
	t := length / w.length
	bend := w.slope - w.promised // half of the curvature
	w.x.scale(t)
	return []waypoint[T]{{w.x, length, t * w.slope, t*w.slope - t*t*bend}}
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
func (q *quadratic[T]) foretold(r tangent[T]) float64 {
	n := q.n
	over := linalg.Norm2(n.slope+roughNorm(r.m), roughNorm(r.a), roughNorm(r.b), n.tail()) - n.slope
	return over * n.rho() / math.Max(math.Abs(n.f), 1e-300)
}

// roughNorm is about ‖F‖₂, from below: power steps on the Gram matrix.
func roughNorm[T gcg.Real](f *gcg.FactorOf[T]) float64 {
	g := gcg.FactorIn[float64](gcg.TMul(f, f))
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
