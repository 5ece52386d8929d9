package views

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Dictionary lowers F over U and V by Newton steps within a trust region, along the spheres of the balls that hold cells of U.
// This is line 6 of [Yu17 Algorithm 3] and the local improvement of [Zhang12 Algorithm 2], with the norm that belongs to the
// atoms.
//
// A local minimum at fixed rank need not be the optimum: the polar of the next step tells, and adds what is missing.
type Dictionary struct {
	Steps int // Newton steps for one call; 0 means 10

	radius float64 // of the trust region, where the last call left it
}

// Name is dictionary.
func (*Dictionary) Name() string { return "dictionary" }

// Improves reports whether a problem has what the improver needs: a gauge of dictionaries, the penalty λκ, a loss with second
// derivatives, and no intercept. A problem without a penalty is taken for one that is to have λκ.
func Improves(problem *gcg.Problem) bool {
	linear := problem.Penalty == nil || view.IsLinear(problem.Penalty)
	return view.OfGauge(problem.Gauge).Dictionary != nil && view.OfLoss(problem.Loss).Curved != nil && linear && !problem.Intercept
}

// Improve lowers F and writes W, ρ and the predictions. It refuses what Improves does not report.
func (m *Dictionary) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State) error {
	p := view.Of(problem)
	if !Improves(problem) {
		return fmt.Errorf("solver: the dictionary improver is for the penalty λκ of a gauge of views, losses with second derivatives "+
			"and no intercept; this is gauge %s with %T and %T", p.Gauge.Name(), p.Penalty, p.Loss)
	}
	f := newSearch(p)
	if f.together {
		s.Rho = math.Min(s.Rho, p.Dictionary.Compress(s.W))
	}
	if s.W.Rank() == 0 {
		return nil
	}
	if s.Iter <= 1 || m.radius == 0 {
		m.radius = math.Inf(1)
	}
	steps := m.Steps
	if steps == 0 {
		steps = usualSteps
	}
	x := f.begin(s.W)
	if x == nil {
		return nil
	}
	x, m.radius = f.descend(ctx, x, steps, m.radius)
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	s.W.SetFactors(f.spread(x))
	s.Rho = f.rho(x)
	if f.together {
		s.Rho = math.Min(s.Rho, p.Dictionary.Compress(s.W))
	}
	s.Refresh(problem)
	return nil
}

const (
	// usualSteps of one call: atoms that are still missing gain more than further steps without them.
	usualSteps = 10
	// worthwhile is the part of what a call has gained that a step must gain for another to follow, after the leastSteps that are
	// taken whatever they gain.
	worthwhile, leastSteps = 0.01, 3
	// taken is the part of what a step promised that it must gain to be taken. Below poor the model is bad, and the radius becomes
	// shrink times the step. Above good it grows, where it was what held the step. These are the usual numbers of trust regions.
	taken, poor, good, shrink, grow = 1e-4, 0.25, 0.75, 0.25, 2
)

// descend takes Newton steps from x within a radius. It returns where they end and the radius then.
func (f *search) descend(ctx context.Context, x *position, steps int, radius float64) (*position, float64) {
	first := x.f
	for step := 0; step < steps && ctx.Err() == nil; step++ {
		x = f.prune(x)
		t := f.tangentAt(x)
		d, promised, norm := t.solve(ctx, t.metric(), radius)
		if !(promised > view.Rounding*math.Abs(x.f)) {
			break
		}
		next, ratio := t.retract(d), math.Inf(-1)
		if next != nil {
			ratio = (x.f - next.f) / promised
		}
		switch {
		case !(ratio >= poor):
			radius = shrink * norm
		case ratio > good && norm > radius*(1-good):
			radius *= grow
		}
		if !(ratio > taken) {
			continue
		}
		gain := x.f - next.f
		if x = next; step >= leastSteps && gain < worthwhile*(first-x.f) {
			break
		}
	}
	return x, radius
}

// prune leaves out columns without which F is lower: those that cost λ‖V_:c‖ more than they gain, with the largest curvature of
// the loss.
func (f *search) prune(x *position) *position {
	if f.together {
		return x
	}
	curvature := f.p.Curved.Curvature()
	gu := gcg.NewFactor(x.v.Rows, x.v.K)
	gcg.TMulBlock(f.p.Operator.Adjoint(x.r), gu, x.u)
	along, squares := f.dots(gu, x.v, 0, x.v.Rows), f.dots(x.u, x.u, 0, x.u.Rows)
	var stay []int
	for c, size := range x.sizes {
		if f.lambda*size-along[c] <= curvature*squares[c]*size*size/2 {
			stay = append(stay, c)
		}
	}
	if len(stay) == x.u.K || len(stay) == 0 {
		return x
	}
	less := f.evaluate(&position{u: only(x.u, stay), v: only(x.v, stay), sizes: chosen(x.sizes, stay)})
	if less.f < x.f {
		return less
	}
	return x
}
