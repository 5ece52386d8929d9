package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A waypoint is a step with its length in the preconditioner's metric, the decrease that the gradient alone promises, and that of the
// model.
type waypoint[T gcg.Real] struct {
	x                       tangent[T]
	length, slope, promised float64
}

// coordinates are a second-order model of F around the point of a newton: along the curve that retract ends, F is
// ⟨gradient, t⟩ + ½⟨t, H t⟩ more.
type coordinates[T gcg.Real] interface {
	gradient() tangent[T] // which is given away
	hessian(dst, t tangent[T])
	precondition(z, r tangent[T])
	foretold(r tangent[T]) norms // of what of the gradient steps lower, where that of the model is -r, about
	retract(t tangent[T])
	kind() kind
	repay() // ends what is its own, after the last retract
}

// conjugateGradient minimises the quadratic model within the trust region [Steihaug 1983]: it stops at the boundary, at a
// direction of negative curvature, or when the residual is small beside the gradient. It returns its way: points of about
// doubling lengths, the last of which is the step. It uses the gradient up.
func conjugateGradient[T gcg.Real](ctx context.Context, n *newton, q coordinates[T], limit int) (path []waypoint[T]) {
	e := n.expect(q.kind())
	r := q.gradient()
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
	radius2 := math.Pow(n.radii[q.kind()], 2)
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
		if it > 0 && it%checkEvery == 0 {
			e.look(n.excess(q.foretold(r)))
		}
		if math.Sqrt(rz/start) < e.forcing() || e.enough() || e.slow() {
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
	for _, t := range []tangent[T]{r, z, d} {
		t.repay()
	}
	return append(path, waypoint[T]{x, math.Sqrt(xx), slope, promised})
}

// lastOf makes room for one more waypoint: of the factors of the largest sides memory holds few.
func lastOf[T gcg.Real](path []waypoint[T]) []waypoint[T] {
	if len(path) < waypoints {
		return path
	}
	path[0].x.repay()
	copy(path, path[len(path)-waypoints+1:])
	return path[:waypoints-1]
}

// waypoints are kept besides the step.
const waypoints = 3

// shorten drops the end of the way beyond a length; where nothing is left, the first step is scaled down, along which the
// model is a parabola.
func shorten[T gcg.Real](path []waypoint[T], length float64) []waypoint[T] {
	for len(path) > 1 {
		path[len(path)-1].x.repay()
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
const checkEvery = 2
