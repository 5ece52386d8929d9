package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/loss"
)

// An Approach reaches a λ that is far below λ₀ = κ°(-∇ℓ(0)) by way of larger ones, each from the solution of the last: from
// W = 0 the rank would first grow beyond that of the solution, and the gap would close no more. It reaches a loss with bends that
// are narrow against the residuals at W = 0 by way of wider ones. It is a Schedule. Elsewhere, and from a start, it is Run.
type Approach struct {
	Method func() Method // of every stage
	// Lambda0 is what MaxLambda says, where the caller has asked for it; 0 asks.
	Lambda0 float64
	// Stage, if it is not nil, is called after each stage of a larger λ with that λ. It must not keep the state.
	Stage func(lambda float64, r *Result)
}

const (
	// smallLambda is the λ/λ₀ below which there are stages: MovieLens-100k takes 0.57 of the time at 0.0023, and 1.08 at 0.006.
	smallLambda = 0.005
	// stageRatio is the λ of a stage over that of the last, at least.
	stageRatio = 1.0 / 8
	// stageTol is the gap to which a stage is solved, which is only a start.
	stageTol = 0.02
)

// Run solves p. opt is as in Run: MaxTime and MaxIter hold for all stages together; Event and Checkpoint see the iterates of
// all as those of p. The result has the iterations and times of all. Errors are those of MaxLambda and of Run.
func (a Approach) Run(ctx context.Context, p *gcg.Problem, opt Options) (*Result, error) {
	began := clock.Begin(ctx)
	stages, err := a.stages(ctx, p, opt)
	if err != nil {
		return nil, err
	}
	if len(stages) < 2 {
		return Run(ctx, p, a.Method(), opt)
	}
	opt.MaxTime, opt.checked = left(opt.MaxTime, began, 0), true
	var last *Result
	err = Schedule{Stages: stages, ToLast: true}.Run(ctx, p, opt, func(s Stage, r *Result) bool {
		if a.Stage != nil && s.Lambda > stages[len(stages)-1].Lambda {
			a.Stage(s.Lambda, r)
		}
		last = r
		return true
	})
	return last.unless(err)
}

// stages lead to the penalty and the loss of p; one where nothing is far. The larger λ come first, with the widest loss.
func (a Approach) stages(ctx context.Context, p *gcg.Problem, opt Options) ([]Stage, error) {
	if opt.Start != nil || opt.Resume != nil {
		return nil, nil
	}
	wide, err := widerLosses(p)
	if err != nil {
		return nil, err
	}
	first := *p
	if len(wide) > 0 {
		first.Loss = wide[0]
	}
	stages, err := a.largerPenalties(ctx, &first, len(wide) > 0)
	if err != nil {
		return nil, err
	}
	here := Stage{Lambda: p.Penalty.Deriv(1), Tol: math.Max(stageTol, opt.Tol), Penalty: p.Penalty, Method: a.Method}
	for l := range stages {
		stages[l].Tol = here.Tol
		if len(wide) > 0 {
			stages[l].Loss = wide[0]
		}
	}
	for _, here.Loss = range wide {
		stages = append(stages, here)
	}
	here.Tol, here.Loss = 0, nil
	return append(stages, here), nil
}

// lambda0 is κ°(-∇ℓ(0)) of p, which Lambda0 is not where its loss is a wider one.
func (a Approach) lambda0(ctx context.Context, p *gcg.Problem, wider bool) (float64, error) {
	if a.Lambda0 > 0 && !wider {
		return a.Lambda0, nil
	}
	return MaxLambda(ctx, p)
}

// largerPenalties are those on the way to that of p, whose loss may be a wider one; none where it is near.
func (a Approach) largerPenalties(ctx context.Context, p *gcg.Problem, wider bool) ([]Stage, error) {
	square := p.Penalty.Deriv(0) == 0 && math.IsInf(p.Penalty.Max(), 1)
	if !square && !view.IsLinear(p.Penalty) {
		return nil, nil
	}
	top, err := a.lambda0(ctx, p, wider)
	if err != nil || !(top > 0) {
		return nil, err
	}
	lambda, scale := p.Penalty.Deriv(1), 1.0
	if square { // λκ²/2: λρ takes the place of λ
		s, err := gcg.NewState(p, nil)
		if err != nil {
			return nil, err
		}
		scale = 2 * s.LossAtZero / top // a squared loss that one atom brings to 0 has this ρ there
	}
	if !(lambda*scale < smallLambda*top) {
		return nil, nil
	}
	ratio, n := wholeStages(top, lambda*scale, stageRatio)
	stages := make([]Stage, 0, n)
	for l := 1; l < n; l++ {
		by := math.Pow(ratio, float64(l-n))
		stages = append(stages, Stage{Lambda: by * lambda, Penalty: view.ScalePenalty(p.Penalty, by), Method: a.Method})
	}
	return stages, nil
}

const (
	// narrowBend is the part of L at W = 0 that the bends of a loss take off it at most, where wider ones come first. Newton steps
	// on bends so narrow see no bend of most observations, and meet it when they step over it.
	narrowBend = 1e-4
	// stackedBend is that part of a stack of losses: views with labels stayed open at 10 to 85 % from 0.05 down to narrowBend.
	stackedBend = 0.2
	// widestBend is that part for the widest loss, whose bends are as wide as the mean residual.
	widestBend = 0.5
	// bendRatio is that part over the one of the last: of 1/10 and 1/100, 1/10 took less time at targets of 10³ and 10⁶ widths.
	bendRatio = 0.1
)

// widerLosses lead to the loss of p, from the widest on; none where its bends are wide against the residuals at W = 0.
func widerLosses(p *gcg.Problem) ([]gcg.Loss, error) {
	c := view.OfLoss(p.Loss)
	if c.Curved == nil || p.IsShared() { // ranks know the weights of their own observations alone
		return nil, nil
	}
	own := c.Curved.Curvature()
	wider := func(short float64) (gcg.Loss, bool) {
		l := widened(p.Loss, short)
		return l, view.OfLoss(l).Curved.Curvature() < own
	}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		return nil, err
	}
	bend := narrowBend
	if _, several := p.Loss.(loss.Stacked); several {
		bend = stackedBend
	}
	if _, narrow := wider(bend * s.LossAtZero); !narrow {
		return nil, nil
	}
	var losses []gcg.Loss
	for short := widestBend * s.LossAtZero; ; short *= bendRatio {
		l, ok := wider(short)
		if !ok {
			return losses, nil
		}
		losses = append(losses, l)
	}
}

// widened is a loss with the widths of bends for which it is below its kinks by short at most, in each of the parts of a stack.
// It is the loss itself where that has no bends.
func widened(l gcg.Loss, short float64) gcg.Loss {
	if s, ok := l.(loss.Stacked); ok {
		parts := slices.Clone(s.Parts())
		for i, part := range parts {
			if view.OfLoss(part).Bent != nil {
				parts[i] = widened(part, short)
			}
		}
		return loss.Stack(parts...)
	}
	if b := view.OfLoss(l).Bent; b != nil {
		return b.Widened(short)
	}
	return l
}
