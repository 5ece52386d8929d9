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
	if !n.sharp {
		limit = min(limit, blurLimit)
	}
	s := newSteihaug(q, n.radii[q.kind()])
	it := 0
	for ; it < limit && s.rz > 0 && ctx.Err() == nil; it++ {
		n.products++
		if !s.step() {
			break
		}
		if it > 0 && it%checkEvery == 0 {
			e.look(n.excess(q.foretold(s.r)))
		}
		if math.Sqrt(s.rz/s.start) < e.forcing() || e.enough() || e.slow() {
			break
		}
		if len(path) == 0 || s.length() > 2*path[len(path)-1].length {
			path = append(lastOf(path), s.waypoint(s.x.clone()))
		}
		s.newDirection()
	}
	if it >= min(limit, blurLimit) && limit > growthCG {
		n.sharp = true
		n.model.sharpen()
	}
	s.repay()
	return append(path, s.waypoint(s.x))
}

// A steihaug is the state of these conjugate gradients at x, where the model's gradient is -r. Lengths are in the preconditioner's metric.
type steihaug[T gcg.Real] struct {
	q               coordinates[T]
	x, r, z, d      tangent[T] // z is the preconditioned r, d the direction
	rz, start       float64    // ⟨r, z⟩, and what it was at first
	beta            float64    // of the next direction
	slope, promised float64    // what the gradient at the start and the model promise at x
	xx, xd, dd      float64    // ‖x‖², ⟨x, d⟩ and ‖d‖²
	radius          float64
}

func newSteihaug[T gcg.Real](q coordinates[T], radius float64) *steihaug[T] {
	r := q.gradient()
	r.scale(-1)
	z := r.clone()
	q.precondition(z, r)
	rz := r.dot(z)
	return &steihaug[T]{q: q, x: r.zero(), r: r, z: z, d: z.clone(), rz: rz, start: rz, dd: rz, radius: radius}
}

// step goes to the model's least value along d. It says whether there is one within the region; else it goes to the boundary.
func (s *steihaug[T]) step() (within bool) {
	h := s.z // never needed at the same time
	s.q.hessian(h, s.d)
	curve := s.d.dot(h)
	alpha := s.rz / curve
	if curve <= 0 || s.beyond(alpha) > s.radius*s.radius {
		if alpha = s.boundary(curve); alpha > 0 {
			s.x.addScaled(alpha, s.d)
			s.xx = s.beyond(alpha)
			s.slope += alpha * s.rz
			s.promised += alpha*s.rz - alpha*alpha*curve/2
		}
		return false
	}
	s.x.addScaled(alpha, s.d)
	s.slope += alpha * s.rz // ⟨r, d⟩ of the start too: directions are conjugate
	s.promised += alpha * s.rz / 2
	s.r.addScaled(-alpha, h)
	s.q.precondition(s.z, s.r)
	next := s.r.dot(s.z)
	s.beta = next / s.rz
	s.xx = s.beyond(alpha)
	s.xd = s.beta * (s.xd + alpha*s.dd)
	s.dd = next + s.beta*s.beta*s.dd
	s.rz = next
	return true
}

// beyond is ‖x + αd‖².
func (s *steihaug[T]) beyond(alpha float64) float64 { return s.xx + 2*alpha*s.xd + alpha*alpha*s.dd }

// boundary is how far along d the region goes. Where it has no end, no scale is known: at the start it is a preconditioned gradient step, and
// 0 from then on.
func (s *steihaug[T]) boundary(curve float64) float64 {
	switch {
	case curve > 0 || !math.IsInf(s.radius*s.radius, 1):
		return (-s.xd + math.Sqrt(s.xd*s.xd+s.dd*(s.radius*s.radius-s.xx))) / s.dd
	case s.xx > 0:
		return 0
	}
	return 1
}

// newDirection makes d the next direction.
func (s *steihaug[T]) newDirection() {
	s.d.scale(s.beta)
	s.d.addScaled(1, s.z)
}

func (s *steihaug[T]) length() float64 { return math.Sqrt(s.xx) }

// waypoint is what is known of x, or of a copy of it.
func (s *steihaug[T]) waypoint(x tangent[T]) waypoint[T] {
	return waypoint[T]{x, s.length(), s.slope, s.promised}
}

// repay ends all but x.
func (s *steihaug[T]) repay() {
	for _, t := range []tangent[T]{s.r, s.z, s.d} {
		t.repay()
	}
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
