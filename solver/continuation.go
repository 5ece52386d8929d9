package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/clock"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/support"
)

// Continuation runs AtomDescent at falling λ, each from the solution of the last [Dudik12 Algorithm 2]; for the trace norm it
// is ContR1D. From λ₀ = κ°(-∇ℓ(0)), where W = 0 is the solution,
//
//	λ_l = λ₀αˡ,   ε_l = βλ_l,   β = (1-α)/(1+α),      l = 0 … N, λ_N = λ
//
// β is the largest for which the ε_l-solutions of two stages have no point in common. Few atoms enter while λ is large, and the
// iterates of all stages are a regularization path. The penalty is h = λx, and stage l multiplies it by λ_l/λ. It is a
// Schedule, and has no loop of its own.
type Continuation struct {
	// Ratio is α, 0 for ½. It is raised so that λ is met after a whole number of stages. α = (1-β)/(1+β) with β = ε/λ ends
	// with an ε-solution at λ [Dudik12 §3.2].
	Ratio float64
	// Descent is the method of every stage. Its Epsilon is that of the last stage, where 0 leaves it to the gap to end it.
	Descent support.AtomDescent
	// Stage, if it is not nil, is called after each stage with its λ and ε; of the last one ε is Descent.Epsilon. It must
	// not keep the state.
	Stage func(lambda, epsilon float64, r *Result)
}

// wholeStage is the part of a stage by which a number of stages is rounded down: that of quotients of logarithms.
const wholeStage = 1e-9

// wholeStages raises α until λ₀αᴺ = λ for a whole N ≥ 1, and returns both. Where λ/λ₀ is 0 in float64 no α comes to λ: it is
// one stage.
func wholeStages(lambda0, lambda, alpha float64) (float64, int) {
	ratio := lambda / lambda0
	if !(ratio > 0) {
		return 0, 1
	}
	n := math.Max(1, math.Ceil(math.Log(ratio)/math.Log(alpha)-wholeStage))
	return math.Pow(ratio, 1/n), int(n)
}

// Schedule is the stages for p, whose penalty is λx: one alone where λ ≥ λ₀. Errors are those of MaxLambda, and for another
// penalty or a ratio that is not between 0 and 1.
func (c Continuation) Schedule(ctx context.Context, p *gcg.Problem) (Schedule, error) {
	lambda, err := c.lambda(p)
	if err != nil {
		return Schedule{}, err
	}
	lambda0, err := MaxLambda(ctx, p)
	if err != nil {
		return Schedule{}, err
	}
	s := Schedule{ToLast: true}
	if lambda < lambda0 {
		alpha, stages := wholeStages(lambda0, lambda, c.ratio())
		beta := (1 - alpha) / (1 + alpha)
		for l := 1; l < stages; l++ {
			by := math.Pow(alpha, float64(l-stages)) // λ_l/λ
			s.Stages = append(s.Stages, c.stage(by*lambda, beta*by*lambda, view.ScalePenalty(p.Penalty, by)))
		}
	}
	s.Stages = append(s.Stages, c.stage(lambda, c.Descent.Epsilon, p.Penalty))
	return s, nil
}

// stage ends at an ε-solution for λ.
func (c Continuation) stage(lambda, epsilon float64, h gcg.Penalty) Stage {
	d := c.Descent
	d.Epsilon = epsilon
	return Stage{Lambda: lambda, Epsilon: epsilon, Penalty: h, Method: func() Method { return &d }}
}

// lambda is λ of h = λx.
func (c Continuation) lambda(p *gcg.Problem) (float64, error) {
	lambda := p.Penalty.Deriv(0)
	if !view.IsLinear(p.Penalty) || !(lambda > 0) || math.IsInf(lambda, 0) {
		return 0, fmt.Errorf("solver: a continuation is over λ of h = λx, which %T is not", p.Penalty)
	}
	if !(c.ratio() > 0 && c.ratio() < 1) {
		return 0, fmt.Errorf("solver: the ratio of a continuation is between 0 and 1, not %v", c.Ratio)
	}
	return lambda, nil
}

// ratio is Ratio, with ½ for 0.
func (c Continuation) ratio() float64 {
	if c.Ratio == 0 {
		return 0.5
	}
	return c.Ratio
}

// Run follows the schedule. opt.MaxTime and opt.MaxIter hold for all stages together; opt.Event and opt.Checkpoint see the last
// stage alone, whose objective is that of p, and opt.Resume goes straight to it. The result is that of the last stage with the
// iterations and times of all; where a limit ends an earlier one, the last certifies its iterate without a step. Errors are
// those of Schedule and of the function Run, which returns a result with one of them: that ctx has ended.
func (c Continuation) Run(ctx context.Context, p *gcg.Problem, opt Options) (*Result, error) {
	lambda, err := c.lambda(p)
	if err != nil {
		return nil, err
	}
	all := Schedule{Stages: []Stage{c.stage(lambda, c.Descent.Epsilon, p.Penalty)}}
	if opt.Resume == nil {
		began := clock.Begin(ctx)
		if all, err = c.Schedule(ctx, p); err != nil {
			return nil, err
		}
		opt.MaxTime, opt.checked = left(opt.MaxTime, began, 0), true
	}
	var last *Result
	err = all.Run(ctx, p, opt, func(s Stage, r *Result) bool {
		last = r
		if c.Stage != nil {
			c.Stage(s.Lambda, s.Epsilon, r)
		}
		return true
	})
	return last.unless(err)
}
