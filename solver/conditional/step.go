package conditional

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is generalized conditional gradient for gauge penalties [Yu17 Algorithm 2; Zhang12 Algorithm 1]. With G = -∇ℓ(W), one
// iteration is
//
//	3  a      ← an atom with ⟨a, G⟩ = κ°(G)           the oracle, asked by Run: Ask says how, State.Polar has it
//	4  (c, θ) ← the step rule                         weights of the old iterate, [Yu17]'s 1-η, and of the atom
//	5  W      ← c W + θ a,   ρ ← c ρ + θ              so that ρ ≥ κ(W) goes on
//	6  (W, ρ) ← Improve(W, ρ)                         called by Run: Options.Improver
//
// in the lines of Algorithm 2. Algorithm 1 is the same for any f in place of h∘κ, where a is the argmin of ⟨d, -G⟩ + f(d).
// Algorithm 3 is Algorithm 2 for W = UVᵀ with a line search in line 4, and Local for line 6, from U ← (√c U, √θ u), V ← (√c V,
// √θ v).
//
// With more than one atom at a time, a is the combination of the leading singular pairs whose weights minimise the loss's
// separable model; its gauge is at most the sum of these weights, which is 1.
type Method struct {
	Rule     Rule
	Atoms    int  // atoms for each step; 0 lets it grow with the rank, which is what the Local improver can use
	OutsideW bool // atoms come from outside the spaces of W: for improvers that optimise within them
	// MaxRank stops the growth of the factors there; 0 means no limit. The certificate stays true, but may not close.
	MaxRank int
	// Horizon is the T of the constant rule.
	Horizon int

	lipschitz float64 // backtracked, of the quadratic bound
	last      float64 // F at the last question for atoms
	gain      float64 // what it fell by between the last two
	stuck     bool    // neither atoms from outside the spaces of W nor the improver within them lowered it since
}

// Rule chooses the weights c of the old iterate and θ of the new atom.
type Rule int

const (
	// LineSearch minimises over c ≥ 0 and θ ≥ 0 jointly [Yu17 eq 40], c free above 1 as in [Zhang12].
	LineSearch Rule = iota
	// OpenLoop is c = 1-η, η = 2/(t+2), with θ from the quadratic upper bound [Yu17 eq 21].
	OpenLoop
	// OpenLoop1 is OpenLoop with η = 1/(t+1).
	OpenLoop1
	// ConstantStep is OpenLoop with η = 1-(T+1)^(-1/T) for a known number T of steps.
	ConstantStep
	// QuadraticBound takes θ from the quadratic upper bound at η = 0 and, where that does not lower F, at the better of 0 and
	// 2/(t+2).
	QuadraticBound
)

// Step is lines 3 to 5 of Algorithm 2: it adds the atoms of the polar with the weights of the rule. Where MaxRank leaves no
// room, or there are no atoms, W stays and the improver is left to work.
func (g *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) error {
	p := view.Of(problem)
	s.Added = g.room(s)
	if s.Added == 0 {
		return nil // nothing outside the spaces of W lowers F; the improver has work left
	}
	a := g.direction(p, s)          // line 3
	keep, theta := g.weigh(p, s, a) // line 4
	moveTo(p, s, a, keep, theta)    // line 5
	return nil
}

// room is how many atoms of the polar the step may add.
func (g *Method) room(s *gcg.State) int {
	count := s.Polar.Count()
	if g.MaxRank > 0 {
		count = min(count, max(0, g.MaxRank-s.W.Rank()))
	}
	return count
}

// weigh is line 4: the weights c of W and θ of the atom by the rule, [Yu17 eq 40] for LineSearch and [Yu17 eq 21, 34] for the
// others.
func (g *Method) weigh(p *view.Problem, s *gcg.State, a *stepDirection) (keep, theta float64) {
	if g.Rule == LineSearch {
		if keep, theta = jointSearch(p, s, a, g.searchTol(p, s)); view.HoldsGauge(p.Penalty) {
			theta = math.Max(0, p.Penalty.Max()-keep*s.Rho) // which the search met but for roundings, and these add up
		}
		return keep, theta
	}
	return g.quadratic(p, s, a)
}

// improvedTol is the part of what a line search has gained that a further step of it must promise where an improver follows,
// which moves the weights again.
const improvedTol = 0.1

// searchTol is improvedTol, and 0 where the search goes to the end. Where a loss is flat within a ball the improver's own steps
// are short.
func (g *Method) searchTol(p *view.Problem, s *gcg.State) float64 {
	if s.Improved && (g.OutsideW || view.IsLinear(p.Penalty)) {
		return improvedTol
	}
	return 0
}

// moveTo is line 5: W ← cW + θa and ρ ← cρ + θ, with c = keep. The predictions move by the same two scalars where they are
// kept; with an intercept they are computed anew.
func moveTo(p *view.Problem, s *gcg.State, a *stepDirection, keep, theta float64) {
	s.W.Scale(keep)
	weights := make([]float64, len(a.weights))
	for i, w := range a.weights {
		weights[i] = theta * w
	}
	if keep == 0 {
		s.W.SetFactors(nil, nil)
		s.W.Terms = nil
	}
	s.W.Add(a.atoms, weights)
	s.Rho = keep*s.Rho + theta
	s.MergeAtoms()
	if s.Intercept != nil {
		s.Refresh(p.Problem)
		return
	}
	par.Pieces(len(s.Z), func(lo, hi int) {
		kernel.Scale(keep, s.Z[lo:hi])
		kernel.Axpy(theta, a.z[lo:hi], s.Z[lo:hi])
	})
	s.Evaluate(p.Problem)
}
