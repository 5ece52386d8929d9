package solver

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/seed-b18ef778/gcg"
)

// Continuation runs AtomDescent at falling λ, each from the solution of the last [Dudik12 Algorithm 2]; for the trace norm it
// is ContR1D. From λ₀ = κ°(-∇ℓ(0)), where W = 0 is the solution,
//
//	λ_l = λ₀αˡ,   ε_l = βλ_l,   β = (1-α)/(1+α),      l = 0 … N, λ_N = λ
//
// β is the largest for which the ε_l-solutions of two stages have no point in common. Few atoms enter while λ is large, and
// the iterates of all stages are a regularization path. The penalty is h = λx, and stage l multiplies it by λ_l/λ.
type Continuation struct {
	// Ratio is α, 0 for ½. It is raised so that λ is met after a whole number of stages. ContinuationRatio gives the α for
	// an ε.
	Ratio float64
	// Descent is the method of every stage. Its Epsilon is that of the last stage, where 0 leaves it to the gap to end it.
	Descent AtomDescent
	// Stage, if it is not nil, is called after each stage with its λ and ε; of the last one ε is Descent.Epsilon. It must
	// not keep the state.
	Stage func(lambda, epsilon float64, r *Result)
}

// ContinuationRatio is the Continuation.Ratio α = (1-β)/(1+β) whose stages end with an ε-solution at λ, β = ε/λ [Dudik12
// §3.2], raised so that λ₀αᴺ = λ for a whole number N of stages; the last ε_N is at most ε then. An error is for arguments
// that are not 0 < ε < λ ≤ λ₀ < ∞.
func ContinuationRatio(lambda0, lambda, epsilon float64) (alpha float64, stages int, err error) {
	if !(lambda > 0 && lambda <= lambda0 && epsilon > 0 && epsilon < lambda) || math.IsInf(lambda0, 0) {
		return 0, 0, fmt.Errorf("solver: a continuation needs 0 < ε < λ ≤ λ₀, not ε = %v, λ = %v, λ₀ = %v", epsilon, lambda, lambda0)
	}
	beta := epsilon / lambda
	alpha, stages = wholeStages(lambda0, lambda, (1-beta)/(1+beta))
	return alpha, stages, nil
}

// wholeStages raises α until λ₀αᴺ = λ for a whole N ≥ 1, and returns both.
func wholeStages(lambda0, lambda, alpha float64) (float64, int) {
	ratio := lambda / lambda0
	n := math.Max(1, math.Ceil(math.Log(ratio)/math.Log(alpha)-1e-9))
	return math.Pow(ratio, 1/n), int(n)
}

// Run solves p, whose penalty is λx. opt.MaxTime and opt.MaxIter hold for all stages together; opt.Event and opt.Checkpoint
// see the last stage alone, whose objective is that of p, and opt.Resume goes straight to it. The result is that of the last
// stage with the iterations and times of all; where a limit ends an earlier one, the last certifies its iterate without a
// step. Errors are those of the function Run, and for another penalty or a ratio that is not between 0 and 1.
func (c Continuation) Run(ctx context.Context, p *gcg.Problem, opt Options) (*Result, error) {
	lambda := p.Penalty.Deriv(0)
	if !linear(p.Penalty) || !(lambda > 0) || math.IsInf(lambda, 0) {
		return nil, fmt.Errorf("solver: a continuation is over λ of h = λx, which %T is not", p.Penalty)
	}
	if c.Ratio == 0 {
		c.Ratio = 0.5
	}
	if !(c.Ratio > 0 && c.Ratio < 1) {
		return nil, fmt.Errorf("solver: the ratio of a continuation is between 0 and 1, not %v", c.Ratio)
	}
	if err := checkLoss(p.Loss); err != nil {
		return nil, err
	}
	opt.checked = true
	total := &Result{}
	start := time.Now()
	if opt.Resume == nil {
		var err error
		if opt.Start, err = c.approach(ctx, p, opt, lambda, total); err != nil {
			return nil, err
		}
	}
	d := c.Descent
	opt.MaxTime, opt.spent = left(opt.MaxTime, start), total.Iter
	r, err := Run(ctx, p, &d, opt)
	if err != nil {
		return nil, err
	}
	if c.Stage != nil {
		c.Stage(lambda, c.Descent.Epsilon, r)
	}
	total.add(r)
	r.Iter, r.Elapsed, r.CPU, r.Split = total.Iter, total.Elapsed, total.CPU, total.Split
	return r, nil
}

// approach runs the stages before the last, and returns the W to go on from.
func (c Continuation) approach(ctx context.Context, p *gcg.Problem, opt Options, lambda float64, total *Result) (*gcg.Iterate, error) {
	start := time.Now()
	lambda0, err := MaxLambda(ctx, p)
	if err != nil || lambda >= lambda0 {
		return opt.Start, err
	}
	alpha, stages := wholeStages(lambda0, lambda, c.Ratio)
	beta := (1 - alpha) / (1 + alpha)
	limit := opt.MaxTime
	opt.Event, opt.Checkpoint, opt.Exact = nil, nil, false
	for l := 1; l < stages; l++ {
		by := math.Pow(alpha, float64(l-stages)) // λ_l/λ
		q, d := *p, c.Descent
		q.Penalty, d.Epsilon = scaled{p.Penalty, by}, beta*by*lambda
		opt.MaxTime, opt.spent = left(limit, start), total.Iter
		r, err := Run(ctx, &q, &d, opt)
		if err != nil {
			return nil, err
		}
		total.add(r)
		opt.Start = r.State.W
		if c.Stage != nil {
			c.Stage(by*lambda, d.Epsilon, r)
		}
		if r.Status == Interrupted || r.Status == MaxTime || r.Status == MaxIterations {
			break // the last stage says how far this iterate is
		}
	}
	return opt.Start, nil
}

// left is what remains of a limit since start, at least a moment, as 0 means no limit.
func left(limit time.Duration, start time.Time) time.Duration {
	if limit == 0 {
		return 0
	}
	return max(limit-time.Since(start), 1)
}

// add adds the work of another run.
func (r *Result) add(o *Result) {
	r.Iter += o.Iter
	r.Elapsed += o.Elapsed
	r.CPU += o.CPU
	r.Split.Polar += o.Split.Polar
	r.Split.Step += o.Split.Step
	r.Split.Improve += o.Split.Improve
	r.Split.Certificate += o.Split.Certificate
}
