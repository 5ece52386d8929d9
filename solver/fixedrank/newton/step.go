package newton

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/fixedrank/model"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// growthSteps and growthCG bound the Newton steps and their conjugate gradients while the rank grows by half or more in a step.
const (
	GrowthSteps = 2
	GrowthCG    = 10
)

// farGap is the inner gap above which growthCG bounds them too where second derivatives vary: the model is not worth more
// there.
const farGap = 0.5

// Step solves the Newton equation, within a trust region or with damping, and moves if F falls; it reports whether there is
// progress. What float32 cannot do is tried in float64, and what conjugate gradients cannot do with second derivatives that
// are formed, or the other way round.
func (n *Iteration) Step(ctx context.Context, cg int) bool {
	moved, whole := n.wholeStep(ctx, false)
	if moved {
		return true
	}
	if whole {
		cg = max(cg, GrowthCG)
	}
	if c, ok := n.Model.Curvature32(); ok && !n.InFloat64 && n.moderate() {
		if n.tried(ctx, func() trials { return newWay(ctx, n, chart(n, c), cg) }) {
			return true
		}
		n.InFloat64 = true
	}
	if n.tried(ctx, func() trials { return newWay(ctx, n, chart(n, n.Model.Curvature()), cg) }) {
		return true
	}
	if whole || ctx.Err() != nil {
		return false
	}
	moved, _ = n.wholeStep(ctx, true)
	return moved
}

// wholeStep tries a step with second derivatives that are formed, if there are any: those of an earlier point, and then
// those of this one. It reports whether it moved, and whether there were any.
func (n *Iteration) wholeStep(ctx context.Context, now bool) (moved, whole bool) {
	for ctx.Err() == nil {
		h := n.Model.Formed(n.Formation, model.Effort{n.K(), n.Products, n.GapWithin, now})
		if h == nil {
			return false, whole
		}
		whole = true
		earlier := n.Formation.Earlier
		if n.tried(ctx, func() trials { return newWholeSteps(n, h) }) {
			return true, true
		}
		if !earlier {
			break
		}
	}
	return false, whole
}

// tried follows trials from the present point, whose gradient they take over.
func (n *Iteration) tried(ctx context.Context, from func() trials) bool {
	if ctx.Err() != nil {
		return false
	}
	if n.grad.m == nil {
		n.Linearise()
	}
	return follow(ctx, n, from())
}

// chart chooses the coordinates of a step: all at once; M alone where most of the excess lies there; or else the factors.
func chart[T gcg.Real](n *Iteration, c model.Curvature[T]) coordinates[T] {
	switch {
	case c.Normal == nil || !view.IsLinear(n.p.Penalty), n.K() < splitFrom && (n.GapAll > splitBelow || n.Joint):
		return newQuadratic(n, c)
	case n.excess(norms{m: n.norms.m}) > n.GapAll/2:
		return newCore(n, c)
	}
	return newBilinear(n, c)
}

// From a rank of splitFrom on, products of factors with k×k matrices cost more than passes, and steps that alternate between the factors and M
// are cheaper than steps in both at once. At any rank they are so where the excess is below splitBelow: M then takes few products, at a third
// of the cost, and the factors fewer without it. Farther away M and the factors move together and alternation takes many steps, as it may
// near a degenerate solution, where a step does not halve the excess.
const (
	splitFrom  = 24
	splitBelow = 0.01
)

// moderate says that the squares of the model's numbers are within the range of float32.
func (n *Iteration) moderate() bool {
	return math.Min(n.sigma[n.K()-1], n.lambda) > 1e-15 && math.Max(n.sigma[0], n.lambda) < 1e15
}

// back returns to an earlier point, and the model with it.
func (n *Iteration) back(old *Iteration) {
	*n = *old
	n.Model.Value(n.factors())
}

// leave ends the memory of an earlier point that nobody comes back to.
func (n *Iteration) leave(old *Iteration) {
	if n.left != old.left {
		gcg.Repay(old.left, old.right)
	}
	if g := old.grad; g.gq != nil && g.gq != n.grad.gq {
		gcg.Repay(g.m, g.gq, g.gp)
	}
}

// nearRounding decides by the gradient where F cannot tell two points apart: it keeps the new one if its inner gap is
// smaller, which it reports, and W = 0 in any case, which has none.
func (n *Iteration) nearRounding(old *Iteration) bool {
	if n.K() == 0 {
		return true
	}
	n.Linearise()
	if n.GapWithin < 0.9*old.GapWithin {
		return true
	}
	n.back(old)
	return false
}

// Trusted is the number of conjugate gradient steps that the model is worth. Far away it is few where second derivatives
// vary, unless W has most of the directions that there are and none were added, so that nothing else is left to do; and no
// more than what forming second derivatives would cost.
func (n *Iteration) Trusted(cg int, growing bool) int {
	full := !growing && 2*n.K() > min(n.left.Rows, n.right.Rows)
	if !n.quadratic() && !full && n.GapWithin > farGap {
		cg = min(cg, GrowthCG)
	}
	return max(1, min(cg, n.Formation.Left(n.K(), n.Products)))
}
