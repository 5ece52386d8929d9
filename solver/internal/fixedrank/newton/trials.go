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

const (
	mostTrials       = 60    // each costs one evaluation; with hardly any curvature a step is ten powers of ten too long
	noDecrease       = 1e-22 // of F: nearRounding judges what is below 1e-16
	leastRatio       = 1e-4  // of the promised decrease that F must fall by
	roundingOfF      = 1e-13 // by which F may rise for nothing but rounding
	tellableDecrease = 1e-11 // below which F does not tell whether a step is good
)

// follow moves to the first of the trials with which F falls by a part of what it promises; it reports whether there is one.
func follow(ctx context.Context, n *Iteration, t trials) bool {
	for range mostTrials {
		promised, ok := t.next()
		if !ok || !(promised > noDecrease*math.Abs(n.F)) {
			break
		}
		old := *n
		t.move()
		n.evaluate()
		ratio := (old.F - n.F) / promised
		if ratio > leastRatio {
			t.took(ratio)
			n.leave(&old)
			return true
		}
		if grain := n.grain(n.F); old.F-n.F > -roundingOfF*grain && promised < tellableDecrease*grain {
			return n.nearRounding(&old)
		}
		n.back(&old)
		if t.refused(); ctx.Err() != nil {
			break
		}
	}
	return false
}

// cgTrials are those of conjugate gradients: where F does not fall, the shorter steps are points that they passed, which cost no
// products. Once they are known nothing else of the coordinates is live, as retraction and evaluation need the memory.
type cgTrials[T gcg.Real] struct {
	n      *Iteration
	q      coordinates[T]
	path   []waypoint[T]
	radius *float64
}

// newCGTrials takes up to cg conjugate gradient steps.
func newCGTrials[T gcg.Real](ctx context.Context, n *Iteration, q coordinates[T], cg int) *cgTrials[T] {
	return &cgTrials[T]{n, q, conjugateGradient(ctx, n, q, cg), &n.radii[q.kind()]}
}

// last is the step that is tried next.
func (w *cgTrials[T]) last() waypoint[T] { return w.path[len(w.path)-1] }

// next promises what the model does at the last point.
func (w *cgTrials[T]) next() (promised float64, ok bool) {
	if len(w.path) == 0 {
		return 0, false
	}
	return w.last().promised, true
}

// move goes there.
func (w *cgTrials[T]) move() { w.q.retract(w.last().x) }

// took sets the trust region by how good the model was.
func (w *cgTrials[T]) took(ratio float64) {
	trust(w.radius, ratio, w.last().length)
	for _, at := range w.path {
		at.x.repay()
	}
	w.q.repay()
}

// refused goes back along the path to half the length.
func (w *cgTrials[T]) refused() {
	length := w.last().length
	*w.radius = length / 4
	if math.IsNaN(length) || *w.radius == 0 {
		w.path = nil
		return
	}
	w.path = shorten(w.path, length/2)
}

const (
	poorRatio = 0.25 // of the actual to the promised decrease, below which the model is poor,
	goodRatio = 0.75 // and above which it is good, as usual for trust regions
)

// trust sets the radius by the ratio of the actual to the promised decrease of a step of some length.
func trust(radius *float64, ratio, length float64) {
	switch {
	case ratio < poorRatio:
		*radius = 0.5 * length
	case ratio < goodRatio:
		*radius = math.Min(*radius, length)
	case math.IsInf(*radius, 1):
		*radius = 10 * length
	default:
		*radius = math.Max(*radius, 3*length)
	}
}
