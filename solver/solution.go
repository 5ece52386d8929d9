package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A Solution says how nearly the optimality conditions hold: W is an ε-solution [Dudik12 §2.5, eq 13] for ε = Epsilon(),
//
//	(i')   κ°(-∇ℓ(W)) ≤ λ + ε
//	(ii')  |⟨∇ℓ(W), W⟩ + λρ| ≤ ερ
//
// with λ = h'(ρ), on the boundary of a ball the multiplier ⟨-∇ℓ(W), W⟩/ρ, and ρ ≥ κ(W) in place of κ(W). Unlike a
// certificate's gap, ε is in the units of λ and bounds no objective; it is what [Dudik12] stops by.
type Solution struct {
	Excess  float64 // of (i'): the polar's bound less λ; negative where no atom is worth its price
	Balance float64 // of (ii'); 0 for W = 0
}

// Epsilon is the smallest ε ≥ 0 for which both conditions hold.
func (x Solution) Epsilon() float64 {
	if math.IsNaN(x.Excess) || math.IsNaN(x.Balance) {
		return math.NaN()
	}
	return math.Max(0, math.Max(x.Excess, x.Balance))
}

// solutionOf measures the conditions at the state with the bound of its polar; they are NaN where that is nil.
func solutionOf(p *gcg.Problem, s *gcg.State, polar *gcg.Polar) Solution {
	if polar == nil {
		return Solution{math.NaN(), math.NaN()}
	}
	lambda := view.Lambda(p, s)
	x := Solution{Excess: polar.UpperBound() - lambda}
	if s.Rho > 0 {
		x.Balance = math.Abs(lambda - p.InnerProduct(s)/s.Rho)
	}
	return x
}

// Solution measures the optimality conditions at the event. It costs two passes over the predictions.
func (e Event) Solution() Solution { return solutionOf(e.p, e.State, e.polar) }
