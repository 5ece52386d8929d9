package support

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// improve takes proximal Newton steps until what one gains is little beside the gap that the certificate has or is to have.
func (u *support) improve(ctx context.Context, p *view.Problem, s *gcg.State, steps int, tol float64) {
	quadratic := p.Quadratic()
	goal := math.Max(tolPart*tol, gapPart*math.Min(s.Cert.Relative, 1))
	part := goalPart * goal // of F, what a step is to gain for another to follow
	if quadratic {          // the model is F
		part = goal
	}
	for range steps {
		if ctx.Err() != nil {
			break
		}
		before := s.Objective(p.Problem)
		if !u.step(ctx, p, s, goal) {
			break
		}
		if before-s.Objective(p.Problem) <= part*math.Abs(before) {
			break
		}
	}
	u.store(s)
	u.prune()
}

// What steps are to gain at least, as parts of the gap: blocks that are missing keep it from closing however well those at hand
// are placed.
const (
	tolPart = 0.05 // of the one that is wanted
	gapPart = 0.02 // of the one that is certified
)

// step is a proximal Newton step; it reports whether F fell. Where the step to the minimiser of the model is too long, the
// model is damped until it is not: fully damped, the model is above F and every step lowers F.
func (u *support) step(ctx context.Context, p *view.Problem, s *gcg.State, goal float64) bool {
	quadratic := p.Quadratic()
	t := &blockStep{support: u, p: p, s: s, goal: goal, quadratic: quadratic, ball: !math.IsInf(p.Penalty.Max(), 1)}
	for {
		if fell, done := t.try(ctx); done {
			return fell
		}
	}
}

// A blockStep is one step, for which several models may be tried.
type blockStep struct {
	*support
	p               *view.Problem
	s               *gcg.State
	goal            float64
	quadratic, ball bool
	jumped          bool // the model is damped as its minimiser jumped
}

// try minimises one model and goes there. It reports whether F fell and whether the step is done; if not, the next model is
// damped more.
func (t *blockStep) try(ctx context.Context) (fell, done bool) {
	if t.damping == 0 && !t.quadratic && t.ball && !t.secantsKnown() && flat(t.p, t.s) {
		t.damping = flatDamping
	}
	m := t.model(t.curved(), t.s)
	x := m.minimise(ctx, t.p.Penalty, t.goal)
	promised, scale := m.promise(x, t.p.Penalty), t.s.RoundingScale(t.s.Objective(t.p.Problem))
	switch {
	case promised < -lostModel*scale && t.damping < 1 && ctx.Err() == nil:
		t.damp()
		return false, false
	case !t.quadratic && !t.ball && promised <= atRounding*scale:
		return false, t.atRest(x)
	}
	return t.moveTo(ctx, m, x, promised)
}

// atRest decides what to do at the minimiser x of a model that promises less than rounding, and says whether the step is
// over. Along a flat block the minimiser jumps in μ, so that no μ fits its κ: a damped model then follows.
func (t *blockStep) atRest(x []float64) bool {
	switch {
	case t.damping == 0 && !view.IsLinear(t.p.Penalty) && flat(t.p, t.s):
		t.damping, t.jumped = flatDamping, true
		return false
	case t.jumped:
		t.damping = 0
	case t.damping == 0:
		t.polish(x)
	}
	return true
}

// moveTo goes to the minimiser x of a model, or a part of the way, and sets the damping of the next model by how far that
// was.
func (t *blockStep) moveTo(ctx context.Context, m *blockModel, x []float64, promised float64) (fell, done bool) {
	f := t.s.Objective(t.p.Problem)
	part := t.move(x)
	by := f - t.s.Objective(t.p.Problem)
	switch {
	case part == 1:
		if t.damping /= 10; t.damping < leastDamping {
			t.damping = 0
		}
		return true, true
	case part > 0:
		if t.quadratic && t.damping == 0 && by <= atRounding*t.s.RoundingScale(f) {
			t.polish(m.minimise(ctx, t.p.Penalty, sharper*t.goal))
		}
		t.damping = min(1, math.Max(leastDamping, 4*t.damping))
		if part < shortPart && !t.ball { // the model says next to nothing of how far a step may go
			t.damping = math.Max(t.damping, flatDamping)
		}
		return true, true
	case t.quadratic:
		t.polish(x)
		return false, true
	}
	if t.damping == 1 || ctx.Err() != nil {
		return false, true
	}
	t.damp()
	return false, false
}

// damp damps the model ten times as much, at least by flatDamping, up to 1.
func (t *blockStep) damp() { t.damping = min(1, math.Max(flatDamping, 10*t.damping)) }

// atRounding is the part of the RoundingScale of F below which a step cannot be told from rounding, so that a damped model
// would be no better. Within a ball the promise itself is rounded by more, as is the multiplier.
const atRounding = rounding.Number

// lostModel is the part of the RoundingScale of F by which a model with hardly any curvature may rise at its own minimiser
// before it is damped.
const lostModel = rounding.Null

// sharper is the part of the goal to which a model is minimised where steps gain only rounding: what is left of the gradient
// is left of the gap.
const sharper = 1e-3

// polish goes to the minimiser x of a model that promises less than rounding lets F tell. The gap is of the order of the
// root of that, and the step leaves nothing of the gradient to second order. It is undone where F rises by more than
// rounding.
func (t *blockStep) polish(x []float64) {
	f := t.s.Objective(t.p.Problem)
	to, back, _ := t.segment(x)
	if !(to(1) <= f+8*atRounding*t.s.RoundingScale(f)) {
		back()
	}
}

// curved is p with the second derivatives that the model takes: those along secants of the length of the last step where
// those of the loss vanish, and damped.
func (t *blockStep) curved() *view.Problem {
	q := t.p
	if t.secantsKnown() && kinked(t.p, t.s) {
		q = hessian.SecantAt(t.p, t.s.Z, t.reach)
	}
	if t.damping > 0 {
		q = q.WithLoss(damped{q.Curved, t.damping, t.p.CurvatureAt(t.loss, t.s.Z)})
	}
	return q
}

// secantsKnown says that the loss takes secants and that a step has set their length.
func (t *blockStep) secantsKnown() bool { return t.reach > 0 && hessian.TakesSecants(t.p) }

// shortestWay is the part of a step below which the model is damped in its place.
const shortestWay = 1e-4

// move goes to x, or to the best of the points on the way that quarters of it reach, so that F falls. It returns which part
// of the way, 0 if none.
func (t *blockStep) move(x []float64) (part float64) {
	best := t.s.Objective(t.p.Problem)
	to, back, length := t.segment(x)
	for step := 1.0; step > shortestWay && part < 1; step /= 4 {
		next := to(step)
		if next >= best && part > 0 {
			to(part)
			break
		}
		if next < best {
			best, part = next, step
		}
	}
	if part == 0 {
		back()
		return 0
	}
	t.reach = hessian.ReachPart * part * length
	return part
}

// segment is the way from here to x: to goes a part of it and returns F there, and back returns to where it begins. length
// is the root mean square of what it changes in z.
func (t *blockStep) segment(x []float64) (to func(part float64) float64, back func(), length float64) {
	old, z, from := slices.Clone(t.x), slices.Clone(t.s.Z), view.SnapshotOf(t.s)
	by := slices.Clone(x)
	kernel.Axpy(-1, old, by)
	way := make([]float64, len(z)) // A(x - old)
	t.predict(t.p, way, by)
	means := hessian.Centred(t.p, way)
	to = func(part float64) float64 {
		for i := range x {
			t.x[i] = old[i] + part*(x[i]-old[i])
		}
		t.s.Rho = math.Min(t.rho(t.x), t.p.Penalty.Max())
		for i := range z {
			t.s.Z[i] = z[i] + part*way[i]
		}
		copy(t.s.Intercept, from.Intercept)
		kernel.Axpy(-part, means, t.s.Intercept)
		t.s.Recentre(t.p.Problem)
		return t.s.Objective(t.p.Problem)
	}
	return to, func() {
		copy(t.x, old)
		copy(t.s.Z, z)
		from.Restore(t.s)
		t.s.Evaluate(t.p.Problem)
	}, hessian.RmsDistance(t.p.Problem, way, make([]float64, len(way)))
}

// damped is a loss with the second derivatives (1-t)∇²L + t·c·I, where c bounds ∇²L: at t = 1 its quadratic model is above L
// everywhere. Where second derivatives vanish, as those of a Huber loss do far from its targets, they do not say how far a
// step may go.
type damped struct {
	gcg.CurvedLoss
	part  float64 // t, from 0 to 1
	bound float64 // c
}

// leastDamping is the first t after a step that was too long: ten times as much follows where that was not enough.
const leastDamping = 1e-4

// shortPart is the part of a step below which the first t is flatDamping: so short a step says that the model knows no curvature.
const shortPart = 0.1

// Separable is that of the loss.
func (l damped) Separable() bool { return gcg.Separable(l.CurvedLoss) }

func (l damped) HessTo(dst []float64, lo int, z, e []float64) {
	whole := append([]float64(nil), e[:len(dst)]...)
	l.CurvedLoss.HessTo(dst, lo, z, e)
	bound := l.part * l.bound
	for i, x := range whole {
		dst[i] = (1-l.part)*dst[i] + bound*x
	}
}

// flat says that an observation with a derivative has no curvature: nothing in the model of the loss keeps its minimiser
// near.
func flat(p *view.Problem, s *gcg.State) bool {
	second := p.SeparableHess(s)
	return second != nil && p.Sum(func(lo, hi int) (count float64) {
		for i, d := range second[lo:hi] {
			if d == 0 && s.R[lo+i] != 0 {
				count++
			}
		}
		return count
	}) > 0
}

// kinked says that a separable loss has observations without curvature.
func kinked(p *view.Problem, s *gcg.State) bool {
	if !hessian.TakesSecants(p) {
		return false
	}
	second := p.SeparableHess(s)
	return p.Sum(func(lo, hi int) float64 {
		if slices.Contains(second[lo:hi], 0) {
			return 1
		}
		return 0
	}) > 0
}

// flatDamping is t where the loss is flat. Of 45 constrained problems with Huber and hinge losses most took 2 to 30 times as
// long undamped; 0.02 and 1 are about as good.
const flatDamping = 0.1
