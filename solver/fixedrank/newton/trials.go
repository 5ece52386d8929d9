package newton

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// trials are steps to try from a point, each shorter than the last.
type trials interface {
	next() (promised float64, ok bool) // what the next one promises to lower F by, if there is one
	move()                             // retracts along it
	took(ratio float64)                // F fell by that part of what was promised
	refused()                          // it did not fall
}

// follow moves to the first of the trials with which F falls by a part of what it promises; it reports whether there is one.
func follow(ctx context.Context, n *Iteration, t trials) bool {
	for range 60 { // each costs one evaluation; where there is hardly any curvature the way is ten powers of ten too long
		promised, ok := t.next()
		if !ok || !(promised > 1e-22*math.Abs(n.F)) { // nearRounding judges what is below 1e-16
			break
		}
		old := *n
		t.move()
		n.evaluate()
		ratio := (old.F - n.F) / promised
		if ratio > 1e-4 {
			t.took(ratio)
			n.leave(&old)
			return true
		}
		if grain := n.grain(n.F); old.F-n.F > -1e-13*grain && promised < 1e-11*grain {
			return n.nearRounding(&old)
		}
		n.back(&old)
		if t.refused(); ctx.Err() != nil {
			break
		}
	}
	return false
}

// A way is that of conjugate gradients: where F does not fall, the shorter steps are points that they passed, which cost no
// products. Once it is known nothing else of the coordinates is live, as retraction and evaluation need the memory.
type way[T gcg.Real] struct {
	n      *Iteration
	q      coordinates[T]
	path   []waypoint[T]
	radius *float64
}

func newWay[T gcg.Real](ctx context.Context, n *Iteration, q coordinates[T], cg int) *way[T] {
	return &way[T]{n, q, conjugateGradient(ctx, n, q, cg), &n.radii[q.kind()]}
}

func (w *way[T]) last() waypoint[T] { return w.path[len(w.path)-1] }

func (w *way[T]) next() (promised float64, ok bool) {
	if len(w.path) == 0 {
		return 0, false
	}
	return w.last().promised, true
}

func (w *way[T]) move() { w.q.retract(w.last().x) }

func (w *way[T]) took(ratio float64) {
	trust(w.radius, ratio, w.last().length)
	for _, at := range w.path {
		at.x.repay()
	}
	w.q.repay()
}

func (w *way[T]) refused() {
	length := w.last().length
	*w.radius = 0.25 * length
	if math.IsNaN(length) || *w.radius == 0 {
		w.path = nil
		return
	}
	w.path = shorten(w.path, length/2)
}

// trust sets the radius by the ratio of the actual to the promised decrease of a step of some length.
func trust(radius *float64, ratio, length float64) {
	switch {
	case ratio < 0.25:
		*radius = 0.5 * length
	case ratio < 0.75:
		*radius = math.Min(*radius, length)
	case math.IsInf(*radius, 1):
		*radius = 10 * length
	default:
		*radius = math.Max(*radius, 3*length)
	}
}
