package solver

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// MaxLambda is λ₀ = κ°(-∇ℓ(0)), at the fitted intercept if there is one: for λ ≥ λ₀, W = 0 minimises L + λκ. What it returns
// is the upper bound of the polar, at most 1e-3 above λ₀ in relative terms, or what an atom attains where no bound is known;
// and 0 where the intercept leaves nothing but rounding, as it does of constant features. The penalty of p is not used.
// Errors are those of the loss's data, of sizes that do not fit, and of the polar.
func MaxLambda(ctx context.Context, p *gcg.Problem) (float64, error) {
	if err := checkLoss(p); err != nil {
		return 0, err
	}
	s, err := gcg.NewState(p, nil)
	if err != nil {
		return 0, err
	}
	v := view.Of(p)
	polar, err := polarAt(ctx, v, s, s.Gradient(p), gcg.Ask{Count: 1, Tol: topTol}, true)
	if err != nil {
		return 0, err
	}
	bound := polar.UpperBound()
	switch {
	case p.Intercept && cancels(v, s, polar):
		return 0, nil
	case math.IsInf(bound, 1):
		return polar.Value, nil
	}
	return bound, nil
}

// topTol is how sharp the bound of λ₀ is asked for: λ₀ is a place to begin a path, and a bound of it will do.
const topTol = 1e-3

// cancelled is the part of Σ|zᵢrᵢ| below which ⟨A(a), r⟩ is the rounding of terms that cancel.
const cancelled = rounding.Null

// cancels says that ⟨A(a), r⟩ of the maximising atom a is 0 but for rounding: its terms cancel.
func cancels(p *view.Problem, s *gcg.State, polar *gcg.Polar) bool {
	return len(polar.Atoms) > 0 && polar.Value <= cancelled*overObservations(p, s, &polar.Atoms[0], sizeOfTerm)
}

// Grid is λ₀·ratio^(i/(points-1)) for i = 0 … points-1: equal ratios from λ₀ down to λ₀·ratio. An error is for other values
// than points ≥ 1, 0 < ratio < 1 and 0 < λ₀ < ∞.
func Grid(lambda0, ratio float64, points int) ([]float64, error) {
	if points < 1 || !(ratio > 0 && ratio < 1) || !(lambda0 > 0) || math.IsInf(lambda0, 0) {
		return nil, fmt.Errorf("solver: a path needs at least one point, a ratio between 0 and 1 and a positive λ₀, not "+
			"%d, %v, %v", points, ratio, lambda0)
	}
	grid := make([]float64, points)
	for i := range grid {
		grid[i] = lambda0
		if points > 1 {
			grid[i] *= math.Pow(ratio, float64(i)/float64(points-1))
		}
	}
	return grid, nil
}

// Path solves the problem for each λ in turn, each from the solution of the last [Dudik12 Algorithm 2 in spirit]. method makes
// a method for each λ and with its penalty; visit gets every result and says whether to go on. An unpenalised intercept begins
// at the last one. It is a Schedule whose stages end by their gaps: opt.MaxTime holds for all λ together, and the λ during
// which it is over is the last; opt.MaxIter holds for each. Where ctx ends visit gets the result of the λ that was
// interrupted, if it found anything, and the error wraps ctx.Err(). Other errors are those of Run, and for opt.Resume, which
// belongs to one λ.
func Path(ctx context.Context, p *gcg.Problem, method func() Method, opt Options, lambdas []float64,
	with func(lambda float64) gcg.Penalty, visit func(lambda float64, r *Result) bool) error {
	if ctx == nil || p == nil || method == nil || with == nil || visit == nil {
		return errors.New("solver: a path takes a context, a problem, and functions for its methods, penalties and " +
			"results, none of them nil")
	}
	if opt.Resume != nil {
		return errors.New("solver: a path begins at Start; a state to resume belongs to one λ, and Run takes it")
	}
	s := Schedule{Stages: make([]Stage, len(lambdas))}
	for i, lambda := range lambdas {
		s.Stages[i] = Stage{Lambda: lambda, Penalty: with(lambda), Method: method}
	}
	return s.Run(ctx, p, opt, func(at Stage, r *Result) bool { return visit(at.Lambda, r) })
}
