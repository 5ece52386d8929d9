package spca

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/text"
	"github.com/seed-b18ef778/gcg/solver"
)

const (
	// pathRatio is the quotient of neighbours of the path on which λ is chosen: larger takes more solutions, smaller starts the
	// next from farther away.
	pathRatio = 0.8
	// leastRatio is the part of the largest C_ii at which that path ends.
	leastRatio = 1e-4
	// closeLambdas is the quotient of two λ between which no number of variables is looked for any more: at the tolerance of the
	// solutions they have one.
	closeLambdas = 0.999
	// countingTol is the gap of solutions whose variables are counted, unless a smaller one is asked for: entries that the
	// penalty is about to remove are still there at a larger one.
	countingTol = 1e-4
)

// quiet are the options of the runs that choose λ.
func (p *Prepared) quiet() solver.Options {
	run := p.opt.Run
	run.Event, run.Checkpoint = nil, nil
	if p.task.Nonzeros > 0 && (run.Tol == 0 || run.Tol > countingTol) {
		run.Tol = countingTol
	}
	return run
}

// say tells of a λ that was tried.
func (t *Task) say(x *Component) {
	if t.Progress != nil {
		t.Progress(fmt.Sprintf("λ %.5g  %s  gap %.2g", x.Lambda,
			text.Counted(len(x.Support), "variable"), x.Result.State.Cert.Relative))
	}
}

// down solves a path of λ from the largest C_ii downwards, each from the last, until done says so, or λ is small. It returns the
// last two.
func (p *Prepared) down(ctx context.Context, c covariance, top float64, run solver.Options,
	done func(*Component) bool) (before, last *Component, err error) {
	least := math.Max(leastRatio*top, leastLambda(c))
	for lambda := top; ; lambda = math.Max(lambda*pathRatio, least) {
		x, err := p.solve(ctx, c, lambda, last, run)
		if err != nil {
			return nil, nil, err
		}
		p.task.say(x)
		before, last = last, x
		if done(x) || lambda <= least || ctx.Err() != nil {
			return before, last, nil
		}
	}
}

// forNonzeros is a λ whose component has as many variables as are asked for, or else the largest that was found with more.
func (p *Prepared) forNonzeros(ctx context.Context, c covariance, top float64) (float64, *Component, error) {
	few, many, err := p.down(ctx, c, top, p.quiet(), func(x *Component) bool { return len(x.Support) >= p.task.Nonzeros })
	if err != nil {
		return 0, nil, err
	}
	for few != nil && len(many.Support) > p.task.Nonzeros && many.Lambda < closeLambdas*few.Lambda && ctx.Err() == nil {
		x, err := p.solve(ctx, c, math.Sqrt(few.Lambda*many.Lambda), few, p.quiet())
		if err != nil {
			return 0, nil, err
		}
		p.task.say(x)
		if len(x.Support) < p.task.Nonzeros {
			few = x
		} else {
			many = x
		}
	}
	return many.Lambda, many, nil
}

// forVariance is the largest λ of the path at which the refitted component keeps UsualKept of λ₁(C).
func (p *Prepared) forVariance(ctx context.Context, c covariance, top float64) (float64, *Component, error) {
	polar, err := gauge.Spectrahedron{}.Polar(ctx, covarianceMap{c}, gcg.Ask{Count: 1, Tol: variancePart})
	if err != nil {
		return 0, nil, err
	}
	product := make([]float64, c.variables())
	run := p.quiet()
	run.Tol = math.Max(run.Tol, choosingTol)
	_, last, err := p.down(ctx, c, top, run, func(x *Component) bool {
		return varianceOf(c, x.Loading, product) >= UsualKept*polar.Value
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
