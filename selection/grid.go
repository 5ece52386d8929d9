package selection

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver"
)

// Grid is λ₀ = κ°(-∇ℓ(0)), over h'(0) of a λ of 1, downwards to λ₀·ratio, by equal ratios, in that many points. It is nil where
// every λ gives W = 0. With a penalty that is flat at 0, such as λκ²/2, there is no smallest λ with W = 0: λρ takes the place of
// λ, and λ₀ is divided by √(mn), so that the grid covers the range.
func Grid(ctx context.Context, p *gcg.Problem, penalty func(float64) gcg.Penalty, ratio float64, points int) ([]float64, error) {
	q := *p
	q.Penalty = penalty(1)
	top, err := solver.MaxLambda(ctx, &q)
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, nothing(ctx, ErrInterrupted)
	case err != nil || !(top > 0):
		return nil, err
	}
	if q.Penalty.Deriv(0) == 0 {
		m, n, _ := p.Operator.Dims()
		top /= math.Max(1, math.Sqrt(float64(m)*float64(n)))
	} else {
		top /= q.Penalty.Deriv(0) // λ may weigh κ in part only, as that of an elastic net
	}
	return solver.Grid(top, ratio, points)
}

// openTop says that no λ is so large that W = 0: what is above a grid may be better.
func (o *Options) openTop() bool { return o.Penalty(1).Deriv(0) == 0 }

// grid is the grid of a path, of which there must be one.
func (o *Options) grid(ctx context.Context, f *Fitting) ([]float64, error) {
	lambdas, err := Grid(ctx, f.Problem, f.Penalty(o.Penalty), o.Ratio, o.Points)
	if err == nil && lambdas == nil {
		err = ErrNothing
	}
	return lambdas, err
}
