package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// improve re-optimises the blocks until the model is exact enough for the certificate that is wanted.
func (u *support) improve(ctx context.Context, p *gcg.Problem, s *gcg.State, steps int) {
	_, quadratic := p.Loss.(gcg.LeastSquares)
	goal := math.Max(0.05*s.Tol, 0.02*math.Min(s.Cert.Relative, 1))
	u.promised = math.Inf(1)
	for range steps {
		if ctx.Err() != nil {
			break
		}
		before := s.Objective(p)
		if !u.step(ctx, p, s, goal) {
			break
		}
		if fell := before - s.Objective(p); !u.earlier && fell <= 0.1*goal*math.Abs(before) || quadratic && fell <= goal*math.Abs(before) {
			break
		}
	}
	u.store(s)
	u.prune()
}

// step is a proximal Newton step; it reports whether F fell. Where the whole step is too long, or none is short enough, the
// model is damped, the more the further: at 1 it is above F, and every step falls.
func (u *support) step(ctx context.Context, p *gcg.Problem, s *gcg.State, goal float64) bool {
	_, quadratic := p.Loss.(gcg.LeastSquares)
	t := &blockStep{support: u, p: p, s: s, goal: goal, quadratic: quadratic, ball: !math.IsInf(p.Penalty.Max(), 1)}
	for {
		if fell, over := t.try(ctx); over {
			return fell
		}
	}
}

// A blockStep is a step, which may take several models.
type blockStep struct {
	*support
	p               *gcg.Problem
	s               *gcg.State
	goal            float64
	quadratic, ball bool
	jumped          bool // the model is damped as its minimiser jumped
}

// try goes by one model. Where that is not the end of the step the next one is of this point, or damped more.
func (t *blockStep) try(ctx context.Context) (fell, over bool) {
	if t.damping == 0 && !t.quadratic && t.ball && !t.secants(t.p) && flat(t.p, t.s) {
		t.damping = flatDamping
	}
	m := t.model(t.curved(t.p, t.s), t.s)
	t.earlier, t.kept = m.earlier, false // whose step may be short where second derivatives have become small
	x := m.minimise(ctx, t.p.Penalty, t.goal)
	promised, grain := m.promise(x, t.p.Penalty), t.s.Grain(t.s.Objective(t.p))
	switch {
	case m.earlier && !(promised <= keptFall*t.promised && promised > atRounding*grain):
		return false, false
	case promised < -lostModel*grain && t.damping < 1 && ctx.Err() == nil:
		t.damp()
		return false, false
	case !t.quadratic && !t.ball && promised <= atRounding*grain:
		return false, t.atRest(x)
	}
	return t.follow(ctx, m, x, promised)
}

// atRest says that nothing is left for F to tell, at the minimiser x of a model. Along a flat block it jumps in μ: no μ is that of its κ.
func (t *blockStep) atRest(x []float64) bool {
	switch {
	case t.damping == 0 && !linear(t.p.Penalty) && flat(t.p, t.s):
		t.damping, t.jumped = flatDamping, true
		return false
	case t.jumped:
		t.damping = 0
	case t.damping == 0:
		t.polish(t.p, t.s, x)
	}
	return true
}

// follow goes to x, or a part of the way, and damps what comes by how far that was.
func (t *blockStep) follow(ctx context.Context, m *blockModel, x []float64, promised float64) (fell, over bool) {
	f := t.s.Objective(t.p)
	part := t.move(t.p, t.s, x)
	by := f - t.s.Objective(t.p)
	switch {
	case part == 1:
		t.promised = promised
		t.kept = t.damping == 0 && t.goal > looseGoal && linear(t.p.Penalty) && by > promised/2 && by < mostKept*promised
		if t.damping /= 10; t.damping < leastDamping {
			t.damping = 0
		}
		return true, true
	case m.earlier:
		return part > 0, part > 0
	case part > 0:
		if t.quadratic && t.damping == 0 && by <= atRounding*t.s.Grain(f) {
			t.polish(t.p, t.s, m.minimise(ctx, t.p.Penalty, sharper*t.goal))
		}
		t.damping = min(1, math.Max(leastDamping, 4*t.damping))
		if part < shortPart && !t.ball { // the model says next to nothing of how far a step may go
			t.damping = math.Max(t.damping, flatDamping)
		}
		return true, true
	case t.quadratic:
		t.polish(t.p, t.s, x)
		return false, true
	}
	if t.damping == 1 || ctx.Err() != nil {
		return false, true
	}
	t.damp()
	return false, false
}

// damp damps the model ten times as much, up to its bound.
func (u *support) damp() { u.damping = min(1, math.Max(flatDamping, 10*u.damping)) }

// atRounding is the part of the grain of F below which no step is told from rounding: a damped one would be no better. Within a ball the promise itself
// is rounded by more, as is the multiplier that its minimiser comes from.
const atRounding = 1e-15

// lostModel is the part of the grain of F by which a model that is hardly curved may rise where it ought to be least, before it is damped.
const lostModel = 1e-12

// keptFall is what a step with second derivatives of an earlier point may promise at most of what the last one did: they are good for three
// quarters of the way then.
const keptFall = 0.1

// mostKept is how many times what a model promised a step may lower F for it to count as kept: where second derivatives have become far smaller than
// the model has them it is twice.
const mostKept = 1.5

// sharper is the part of the goal to which a model is minimised where steps fall by rounding: what it leaves of the gradient is left of the gap.
const sharper = 1e-3

// polish goes to the minimiser x of a model that promises less than rounding lets F tell, but of what F cannot tell the gap is the root: to second
// order nothing of the gradient is left there. It stays where F rises by more than rounding.
func (u *support) polish(p *gcg.Problem, s *gcg.State, x []float64) {
	f := s.Objective(p)
	to, back, _ := u.along(p, s, x)
	if !(to(1) <= f+8*atRounding*s.Grain(f)) {
		back()
	}
}

// curved is p with the second derivatives of the model: secants over the length of the last step where those of the loss vanish, and damped.
func (u *support) curved(p *gcg.Problem, s *gcg.State) *gcg.Problem {
	q := *p
	if u.secants(p) && kinked(p, s) {
		q = *secantAt(p, s.Z, u.reach)
	}
	if u.damping > 0 {
		q.Loss = damped{q.Loss.(gcg.CurvedLoss), u.damping, gcg.CurvatureAt(u.loss, s.Z)}
	}
	return &q
}

// secants says that there are such.
func (u *support) secants(p *gcg.Problem) bool { return u.reach > 0 && bends(p) }

// move goes to x, or the best part of the way that quarters of it reach, so that F falls; it reports which part, 0 if none.
func (u *support) move(p *gcg.Problem, s *gcg.State, x []float64) (part float64) {
	best := s.Objective(p)
	to, back, length := u.along(p, s, x)
	for step := 1.0; step > 1e-4 && part < 1; step /= 4 {
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
	u.reach = reachPart * part * length
	return part
}

// along is the way to x: to goes a part of it and returns F there, back returns to where it begins. Its length is the root mean square of what
// it changes in z.
func (u *support) along(p *gcg.Problem, s *gcg.State, x []float64) (to func(part float64) float64, back func(), length float64) {
	old, z, from := slices.Clone(u.x), slices.Clone(s.Z), pointOf(s)
	by := slices.Clone(x)
	kernel.Axpy(-1, old, by)
	way := make([]float64, len(z)) // A(x - old)
	u.predict(p, way, by)
	means := levelled(p, way)
	to = func(part float64) float64 {
		for t := range x {
			u.x[t] = old[t] + part*(x[t]-old[t])
		}
		s.Rho = math.Min(u.rho(u.x), p.Penalty.Max())
		for i := range z {
			s.Z[i] = z[i] + part*way[i]
		}
		copy(s.Intercept, from.intercept)
		kernel.Axpy(-part, means, s.Intercept)
		s.Recentre(p)
		return s.Objective(p)
	}
	return to, func() {
		copy(u.x, old)
		copy(s.Z, z)
		from.restore(s)
		s.Evaluate(p)
	}, gcg.Norm(way) / math.Sqrt(float64(len(way)))
}
