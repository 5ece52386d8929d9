package dictionary

import (
	"context"
	"fmt"
	"math"
	"os"
	"time"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// Improver lowers F over U and V by Newton steps within a trust region, along the spheres that cells of U are held to.
type Improver struct {
	Steps int // Newton steps for one call; 0 means 10

	radius float64 // of the trust region at the end of the last call
}

// Name is dictionary.
func (Improver) Name() string { return "dictionary" }

const (
	usualSteps = 10
	mostCG     = 50
)

// Improve lowers F, and writes W and ρ.
func (m *Improver) Improve(ctx context.Context, problem *gcg.Problem, s *gcg.State) error {
	start := time.Now()
	p := view.Of(problem)
	if p.Balls == nil || p.Curved == nil || !view.IsLinear(p.Penalty) || p.Intercept {
		return fmt.Errorf("solver: the dictionary improver is for gauges of dictionaries with the penalty λκ, losses with second "+
			"derivatives and no intercept, not for gauge %s with %T and %T", p.Gauge.Name(), p.Loss, p.Penalty)
	}
	f := &search{p: p, lambda: p.Penalty.Deriv(1)}
	sizes, radii, together := p.Balls.Balls()
	f.together = together
	at := 0
	for i, rows := range sizes {
		f.balls = append(f.balls, ball{at, at + rows, radii[i]})
		at += rows
	}
	if together {
		s.Rho = math.Min(s.Rho, p.Balls.Compress(s.W))
	}
	if s.W.Rank() == 0 {
		return nil
	}
	x := f.begin(s.W)
	steps := m.Steps
	if steps == 0 {
		steps = usualSteps
	}
	if s.Iter <= 1 || m.radius == 0 {
		m.radius = math.Inf(1)
	}
	x, m.radius = f.descend(ctx, x, steps, m.radius)
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N}
	s.W.SetFactors(x.u, x.v)
	s.Rho = f.rho(x)
	if together {
		s.Rho = math.Min(s.Rho, p.Balls.Compress(s.W))
	}
	s.Refresh(problem)
	if os.Getenv("DICT") != "" {
		fmt.Fprintf(os.Stderr, " improve %v, polars so far %v\n", time.Since(start), s.PolarTime)
	}
	return nil
}

// descend takes Newton steps from x.
func (f *search) descend(ctx context.Context, x *point, steps int, radius float64) (*point, float64) {
	var gained float64
	for step := 0; step < steps && ctx.Err() == nil; step++ {
		x = f.prune(x)
		t := f.tangent(x)
		d, promised, norm := t.solve(ctx, t.metric(), radius, mostCG)
		if !(promised > 1e-14*math.Abs(x.f)) {
			break
		}
		next := t.retract(d)
		ratio := -1.0
		if next != nil {
			ratio = (x.f - next.f) / promised
		}
		if os.Getenv("DICT") != "" {
			fmt.Fprintf(os.Stderr, "   newton %d: f %.8g k %d promised %.3g ratio %.3g norm %.3g radius %.3g\n", step, x.f, x.u.K, promised, ratio, norm, radius)
		}
		switch {
		case ratio < 0.25:
			radius = norm / 4
		case ratio > 0.75 && norm > 0.9*radius:
			radius *= 2
		}
		if ratio > 1e-4 {
			gain := x.f - next.f
			gained += gain
			x = next
			if gain < 1e-2*gained && step > 2 {
				break
			}
		}
	}
	return x, radius
}

// prune leaves out columns without which F is lower.
func (f *search) prune(x *point) *point {
	if f.together {
		return x
	}
	curvature := f.p.Curved.Curvature()
	g := f.p.Operator.Adjoint(x.r)
	gu := gcg.NewFactor(x.v.Rows, x.v.K)
	gcg.TMulBlock(g, gu, x.u)
	along := f.dots(gu, x.v, 0, x.v.Rows)
	squares := f.dots(x.u, x.u, 0, x.u.Rows)
	var stay []int
	for c, size := range x.sizes {
		if f.lambda*size-along[c] <= curvature*squares[c]*size*size/2 {
			stay = append(stay, c)
		}
	}
	if len(stay) == x.u.K || len(stay) == 0 {
		return x
	}
	less := f.evaluate(&point{u: only(x.u, stay), v: only(x.v, stay), sizes: chosen(x.sizes, stay)})
	if less.f < x.f {
		return less
	}
	return x
}
