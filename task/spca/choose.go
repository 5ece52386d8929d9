package spca

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/solver"
)

const (
	// pathRatio is the quotient of neighbours of the path on which λ is chosen: larger takes more solutions, smaller starts the
	// next from farther away.
	pathRatio = 0.8
	// leastRatio is the part of the largest C_ii at which that path ends.
	leastRatio = 1e-4
	// bisections are the most λ between two of the path that are tried for a number of variables.
	bisections = 30
)

// quiet are the options of the runs that choose λ.
func (t *Task) quiet() solver.Options {
	run := t.Run
	run.Event, run.Checkpoint = nil, nil
	return run
}

// say tells of a λ that was tried.
func (t *Task) say(x *Component) {
	if t.Progress != nil {
		t.Progress(fmt.Sprintf("λ %.5g  %d variables  gap %.2g", x.Lambda, len(x.Support), x.Result.State.Cert.Relative))
	}
}

// down solves a path of λ from the largest C_ii downwards, each from the last, until done says so, or λ is small. It returns the
// last two.
func (t *Task) down(ctx context.Context, c covariance, top float64, run solver.Options,
	done func(*Component) bool) (before, last *Component, err error) {
	least := math.Max(leastRatio*top, leastLambda(c))
	for lambda := top; ; lambda = math.Max(lambda*pathRatio, least) {
		x, err := t.solve(ctx, c, lambda, last, run)
		if err != nil {
			return nil, nil, err
		}
		t.say(x)
		before, last = last, x
		if done(x) || lambda <= least || ctx.Err() != nil {
			return before, last, nil
		}
	}
}

// forNonzeros is a λ whose component has as many variables as are asked for, or else the most that are fewer.
func (t *Task) forNonzeros(ctx context.Context, c covariance, top float64) (float64, *Component, error) {
	few, many, err := t.down(ctx, c, top, t.quiet(), func(x *Component) bool { return len(x.Support) >= t.Nonzeros })
	if err != nil {
		return 0, nil, err
	}
	if len(many.Support) <= t.Nonzeros {
		return many.Lambda, many, nil
	}
	for range bisections {
		if few == nil || ctx.Err() != nil {
			break
		}
		x, err := t.solve(ctx, c, math.Sqrt(few.Lambda*many.Lambda), few, t.quiet())
		if err != nil {
			return 0, nil, err
		}
		t.say(x)
		switch k := len(x.Support); {
		case k == t.Nonzeros:
			return x.Lambda, x, nil
		case k < t.Nonzeros:
			few = x
		default:
			many = x
		}
	}
	if few == nil {
		return many.Lambda, many, nil
	}
	return few.Lambda, few, nil
}

// forVariance is the largest λ of the path at which the refitted component keeps UsualKept of λ₁(C).
func (t *Task) forVariance(ctx context.Context, c covariance, top float64) (float64, *Component, error) {
	p, err := gauge.Spectrahedron{}.Polar(ctx, covarianceMap{c}, gcg.Ask{Count: 1, Tol: variancePart})
	if err != nil {
		return 0, nil, err
	}
	product := make([]float64, c.variables())
	run := t.quiet()
	run.Tol = math.Max(run.Tol, choosingTol)
	_, last, err := t.down(ctx, c, top, run, func(x *Component) bool {
		return varianceOf(c, x.Loading, product) >= UsualKept*p.Value
	})
	if err != nil {
		return 0, nil, err
	}
	return last.Lambda, last, nil
}

// choosingTol is the gap of the solutions whose variance chooses λ: what they explain hardly moves below it.
const choosingTol = 0.02

// variancePart is how accurately λ₁(C) is known of which a part is kept.
const variancePart = 1e-2

// A covarianceMap is C as a map.
type covarianceMap struct{ c covariance }

// Dims is the number of variables, twice.
func (g covarianceMap) Dims() (m, n int) { return g.c.variables(), g.c.variables() }

// MulTo writes dst = C x.
func (g covarianceMap) MulTo(dst, x []float64) { g.c.mulTo(dst, x) }

// TMulTo is MulTo: C is symmetric.
func (g covarianceMap) TMulTo(dst, y []float64) { g.c.mulTo(dst, y) }

// Symmetric says that C = Cᵀ.
func (g covarianceMap) Symmetric() bool { return true }
