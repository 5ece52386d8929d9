package newton

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A waypoint is a step with its length in the metric of the preconditioner, and the decreases that the gradient alone and
// the model promise for it.
type waypoint[T gcg.Real] struct {
	x                       tangent[T]
	length, slope, promised float64
}

// coordinates are a second-order model of F around the present point: along the curve whose end retract goes to, F grows by
// ⟨gradient, t⟩ + ½⟨t, H t⟩.
type coordinates[T gcg.Real] interface {
	// Gradient is that of F; its memory is the caller's from then on.
	Gradient() tangent[T]
	// hessian writes H t into dst.
	hessian(dst, t tangent[T])
	// precondition writes about H⁻¹ r into z.
	precondition(z, r tangent[T])
	// predicted is about the norms of that part of the gradient which steps lower, where the gradient of the model is -r.
	predicted(r tangent[T]) norms
	// retract moves to the end of the curve along t.
	retract(t tangent[T])
	kind() kind
	// repay gives its memory back, after the last retract.
	repay()
}

// conjugateGradient minimises the quadratic model within the trust region [Steihaug 1983]. It stops at the boundary, at a
// direction of negative curvature, when the residual is small beside the gradient, or when the forecast says that it is enough.
// path are points that it passes, of about doubling lengths, and the step at the end. It takes the memory of the gradient.
func conjugateGradient[T gcg.Real](ctx context.Context, n *Iteration, q coordinates[T], limit int) (path []waypoint[T]) {
	e := n.forecastFor(q.kind())
	if !n.InFloat64 {
		limit = min(limit, blurLimit)
	}
	s := newSteihaug(q, n.radii[q.kind()])
	it := 0
	for ; it < limit && s.rz > 0 && ctx.Err() == nil; it++ {
		n.Products++
		if !s.step() {
			break
		}
		if it > 0 && it%checkEvery == 0 {
			e.predicted = n.excess(q.predicted(s.r))
		}
		if math.Sqrt(s.rz/s.start) < e.forcing() || e.enough() {
			break
		}
		if len(path) == 0 || s.length() > 2*path[len(path)-1].length {
			path = append(lastOf(path), s.waypoint(s.x.clone()))
		}
		s.newDirection()
	}
	if it >= min(limit, blurLimit) && limit > GrowthCG {
		n.InFloat64 = true
		n.Model.UseFloat64()
	}
	s.repay()
	return append(path, s.waypoint(s.x))
}

// A steihaug is the state of these conjugate gradients at x, where the model's gradient is -r. Lengths are in the metric of
// the preconditioner.
type steihaug[T gcg.Real] struct {
	q               coordinates[T]
	x, r, z, d      tangent[T] // z is the preconditioned r, d the direction
	rz, start       float64    // ⟨r, z⟩, and what it was at first
	beta            float64    // of the next direction
	slope, promised float64    // what the gradient at the start and the model promise at x
	xx, xd, dd      float64    // ‖x‖², ⟨x, d⟩ and ‖d‖²
	radius          float64
}

// newSteihaug is at x = 0.
func newSteihaug[T gcg.Real](q coordinates[T], radius float64) *steihaug[T] {
	r := q.Gradient()
	r.scale(-1)
	z := r.clone()
	q.precondition(z, r)
	rz := r.dot(z)
	return &steihaug[T]{q: q, x: r.zero(), r: r, z: z, d: z.clone(), rz: rz, start: rz, dd: rz, radius: radius}
}

// step goes to the model's minimum along d and says whether that is within the region; if it is not, the step ends at the
// boundary.
func (s *steihaug[T]) step() (within bool) {
	h := s.z // never needed at the same time
	s.q.hessian(h, s.d)
	curve := s.d.dot(h)
	alpha := s.rz / curve
	if curve <= 0 || s.squaredLength(alpha) > s.radius*s.radius {
		if alpha = s.boundary(curve); alpha > 0 {
			s.x.addScaled(alpha, s.d)
			s.xx = s.squaredLength(alpha)
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
	s.xx = s.squaredLength(alpha)
	s.xd = s.beta * (s.xd + alpha*s.dd)
	s.dd = next + s.beta*s.beta*s.dd
	s.rz = next
	return true
}

// squaredLength is ‖x + αd‖².
func (s *steihaug[T]) squaredLength(alpha float64) float64 {
	return s.xx + 2*alpha*s.xd + alpha*alpha*s.dd
}

// boundary is the α at which x + αd leaves the region. A direction of negative curvature in a region without end has no
// scale: from x = 0 it is taken as a preconditioned gradient step, and later not at all.
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

// length is ‖x‖.
func (s *steihaug[T]) length() float64 { return math.Sqrt(s.xx) }

// waypoint is what is known of x, which may be a copy of s.x.
func (s *steihaug[T]) waypoint(x tangent[T]) waypoint[T] {
	return waypoint[T]{x, s.length(), s.slope, s.promised}
}

// repay gives the memory of all but x back.
func (s *steihaug[T]) repay() {
	for _, t := range []tangent[T]{s.r, s.z, s.d} {
		t.repay()
	}
}

// lastOf makes room for one more waypoint by dropping the first, as memory holds few of the largest tangents.
func lastOf[T gcg.Real](path []waypoint[T]) []waypoint[T] {
	if len(path) < waypoints {
		return path
	}
	path[0].x.repay()
	copy(path, path[len(path)-waypoints+1:])
	return path[:waypoints-1]
}

// waypoints is how many points are kept besides the step. Without any let4 of docs/ablation.md takes twice as long.
const waypoints = 3

// shorten drops the end of the path beyond a length. Where nothing would be left, the first step is scaled down to it, as
// the model is a parabola along it.
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

// checkEvery is how many conjugate gradient steps pass before the gap is predicted again.
const checkEvery = 2
