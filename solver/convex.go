package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Convex is generalized conditional gradient on vectors for a convex f of bounded domain that is no gauge penalty
// [Yu17 Algorithm 1; Argyriou14 Algorithm 1],
//
//	minimise over x ∈ Rⁿ   F(x) = ℓ(x) + f(x)
//
//	d ← an element of ∂f*(-∇ℓ(x))                a minimiser of ⟨d, ∇ℓ(x)⟩ + f(d)
//	x ← (1-η)x + ηd                              η by the search below, or 2/(t+2)
//
// f enters by its value and by d alone; for the indicator of a polytope d is a vertex. Each d bounds the optimum,
//
//	F* ≥ ℓ(x) - ⟨x, ∇ℓ(x)⟩ - f*(-∇ℓ(x)),     f*(-∇ℓ(x)) = -⟨d, ∇ℓ(x)⟩ - f(d)
//
// and F(x) less the best of these bounds is O(L·diam²/t) after t steps [Yu17 Corollary 5].
type Convex struct {
	// Smooth is ℓ, differentiable: it returns ℓ(x) and writes ∇ℓ(x) into grad, both of length n.
	Smooth func(grad, x []float64) float64
	// Value is f(x); nil means the indicator of the domain, which is 0 at every point that is a mean of subgradients.
	Value func(x []float64) float64
	// SubgradientTo writes an element of ∂f*(y) into d, that is one that maximises ⟨d, y⟩ - f(d).
	SubgradientTo func(d, y []float64)
	// Improve, if there is one, may move x to any point of the domain [Yu17 Algorithm 1, line 5]; it is undone where F rose.
	Improve func(x []float64)
	// OpenLoop takes η = 2/(t+2) instead of the search, which needs some more gradients.
	OpenLoop bool
}

// A ConvexResult is the best point seen and its certificate: optimum ∈ [LowerBound, Objective].
type ConvexResult struct {
	X                     []float64
	Objective, LowerBound float64
	Gap, Relative         float64 // Objective - LowerBound, and over |Objective|
	Status                Status
	Iter                  int
}

// Run starts at x, a point of the domain, which it does not change. It stops when the gap is below tol·|F|, after maxIter
// steps (0 means 10,000), when no step lowers F any more, or when ctx is done. A gradient, a value or a subgradient that is not
// finite is an error.
func (c Convex) Run(ctx context.Context, x []float64, tol float64, maxIter int) (*ConvexResult, error) {
	if c.Smooth == nil || c.SubgradientTo == nil || len(x) == 0 || !(tol >= 0) {
		return nil, fmt.Errorf("solver: convex needs Smooth, SubgradientTo, a starting point and a tolerance of at least 0")
	}
	if maxIter == 0 {
		maxIter = 10000
	}
	s := c.start(x)
	r := &ConvexResult{X: append([]float64(nil), x...), Objective: math.Inf(1), LowerBound: math.Inf(-1)}
	for ; ; r.Iter++ {
		if err := s.linearise(); err != nil {
			return nil, fmt.Errorf("%w, after %d iterations", err, r.Iter)
		}
		r.take(s)
		switch {
		case r.Gap <= tol*math.Abs(r.Objective):
			r.Status = Converged
		case ctx.Err() != nil:
			r.Status = Interrupted
		case r.Iter >= maxIter:
			r.Status = MaxIterations
		case !s.step(r.Iter):
			r.Status = Stalled
		default:
			continue
		}
		return r, nil
	}
}

// take adds what is known at the present point: it may be the best, and so may its lower bound.
func (r *ConvexResult) take(s *convexState) {
	if f := s.smooth + s.f; f < r.Objective {
		r.Objective = f
		copy(r.X, s.x)
	}
	r.LowerBound = math.Max(r.LowerBound, s.bound)
	r.Gap = math.Max(0, r.Objective-r.LowerBound)
	r.Relative = gcg.RelativeGap(r.Gap, r.Objective)
}
