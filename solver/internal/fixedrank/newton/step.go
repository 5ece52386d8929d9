package newton

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

const (
	GrowthSteps = 2  // Newton steps while the rank grows by half or more in a step: the next atoms gain more
	GrowthCG    = 10 // conjugate gradient steps for each of these

	// distantGap is the gap within the spaces of W above which GrowthCG bounds the steps too where second derivatives vary: the
	// model does not hold farther. Without it letter takes 1.47 times as long.
	distantGap = 0.5
)

// Step solves the Newton equation, within a trust region or with damping, and moves if F falls; it reports whether there is
// progress. What float32 cannot do is tried in float64, and what conjugate gradients cannot do with second derivatives that
// are formed, or the other way round.
func (n *Iteration) Step(ctx context.Context, cg int) bool {
	moved, formed := n.formedStep(ctx, false)
	if moved {
		return true
	}
	if formed {
		cg = max(cg, GrowthCG)
	}
	if c, ok := n.Model.Curvature32(); ok && !n.InFloat64 && n.moderate() {
		if n.tried(ctx, func() trials { return newCGTrials(ctx, n, chart(n, c), cg) }) {
			return true
		}
		n.InFloat64 = true
	}
	if n.tried(ctx, func() trials { return newCGTrials(ctx, n, chart(n, n.Model.Curvature()), cg) }) {
		return true
	}
	if formed || ctx.Err() != nil {
		return false
	}
	moved, _ = n.formedStep(ctx, true)
	return moved
}

// formedStep tries a step with second derivatives that are formed, if there are any: those of an earlier point, and then
// those of this one. It reports whether it moved, and whether there were any.
func (n *Iteration) formedStep(ctx context.Context, now bool) (moved, formed bool) {
	for ctx.Err() == nil {
		h := n.Model.Formed(n.FormPolicy, model.Effort{Rank: n.K(), Products: n.Products, GapWithin: n.GapWithin, Now: now})
		if h == nil {
			return false, formed
		}
		formed = true
		earlier := n.FormPolicy.Earlier
		if n.tried(ctx, func() trials { return newDampedTrials(n, h) }) {
			return true, true
		}
		if !earlier {
			break
		}
	}
	return false, formed
}

// tried follows trials from the present point, which take the memory of its gradient.
func (n *Iteration) tried(ctx context.Context, from func() trials) bool {
	if ctx.Err() != nil {
		return false
	}
	if n.grad.m == nil {
		n.Linearise()
	}
	return follow(ctx, n, from())
}

// chart chooses the coordinates of a step: all at once; M alone where most of the excess lies there, unless the factors are asked
// for; or else the factors.
func chart[T gcg.Real](n *Iteration, c model.Curvature[T]) coordinates[T] {
	switch {
	case c.Normal == nil || !view.IsLinear(n.p.Penalty), n.K() < splitFrom && (n.GapAll > splitBelow || n.Joint):
		return newQuadratic(n, c)
	case !n.InFactors && n.excess(norms{m: n.norms.m}) > n.GapAll/2:
		return newCore(n, c)
	}
	return newBilinear(n, c)
}

// Steps that alternate between the factors and M may be cheaper than steps in both at once. Without them MovieLens-100k at λ = 10
// takes 2.1 times as long.
const (
	// splitFrom is the rank from which on products of factors with k×k matrices cost more than passes over the observations.
	splitFrom = 24
	// splitBelow is the excess below which alternation is cheaper at any rank: M takes few products, at a third of the cost, and
	// the factors fewer without it. Farther away M and the factors move together and alternation takes many steps, as it may near
	// a degenerate solution, where a step does not halve the excess.
	splitBelow = 0.01
)

// The range of numbers whose squares are within that of float32.
const (
	leastIn32 = 1e-15 // below, squares underflow
	mostIn32  = 1e15  // above, sums of squares overflow
)

// moderate says that the squares of the model's numbers are within the range of float32.
func (n *Iteration) moderate() bool {
	return math.Min(n.sigma[n.K()-1], n.lambda) > leastIn32 && math.Max(n.sigma[0], n.lambda) < mostIn32
}

// back returns to an earlier point, and the model with it.
func (n *Iteration) back(old *Iteration) {
	*n = *old
	n.Model.Value(n.factors())
}

// leave gives the memory of an earlier point back, as nobody comes back to it.
func (n *Iteration) leave(old *Iteration) {
	if n.left != old.left {
		gcg.Repay(old.left, old.right)
	}
	if g := old.grad; g.gq != nil && g.gq != n.grad.gq {
		gcg.Repay(g.m, g.gq, g.gp)
	}
}

// nearRounding decides by the gradient where F cannot tell two points apart: it keeps the new one if its GapWithin is smaller,
// which it reports, and W = 0 in any case, which has none.
func (n *Iteration) nearRounding(old *Iteration) bool {
	if n.K() == 0 {
		return true
	}
	n.Linearise()
	if n.GapWithin < nearerPart*old.GapWithin {
		return true
	}
	n.back(old)
	return false
}

// nearerPart is the part of the gap that a point must come to for it to be kept where F tells nothing: with 1 steps would go on
// for rounding.
const nearerPart = 0.9

// LimitCG is how many conjugate gradient steps are taken on a model, cg at most. Far from the solution they are few where
// second derivatives vary, unless W has most of the directions that there are and none were added: nothing else is left to do
// then. They cost no more than to form second derivatives.
func (n *Iteration) LimitCG(cg int, added bool) int {
	full := !added && 2*n.K() > min(n.left.Height(), n.right.Height())
	if !n.quadratic() && !full && n.GapWithin > distantGap {
		cg = min(cg, GrowthCG)
	}
	return max(1, min(cg, n.FormPolicy.Left(n.K(), n.Products)))
}

// trials are steps to try from a point, each shorter than the last.
type trials interface {
	next() (promised float64, ok bool) // what the next one promises to lower F by, if there is one
	move()                             // retracts along it
	took(ratio float64)                // F fell by that part of what was promised
	refused()                          // it did not fall
}

const (
	mostTrials       = 60               // each costs one evaluation; with hardly any curvature a step is ten powers of ten too long
	noDecrease       = 1e-22            // of F: nearRounding judges what is below 1e-16
	leastRatio       = 1e-4             // of the promised decrease that F must fall by
	roundingOfF      = rounding.Product // by which F may rise for nothing but rounding
	tellableDecrease = 1e-11            // below which F does not tell whether a step is good
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
