package conditional

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// GCG is generalized conditional gradient for gauge penalties [Yu17 Algorithm 2; Zhang12 Algorithm 1]. With G = -∇ℓ(W), one
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
type GCG struct {
	Rule     Rule
	Atoms    int  // atoms for each step; 0 lets it grow with the rank, which is what the Local improver can use
	OutsideW bool // atoms come from outside the spaces of W: for improvers that optimise within them
	// MaxRank stops the growth of the factors there; 0 means no limit. The certificate stays true, but may not close.
	MaxRank int
	// Horizon is the T of the constant rule.
	Horizon int

	set       gcg.Settings
	lipschitz float64 // backtracked, of the quadratic bound
	last      float64 // F at the last question for atoms
	gain      float64 // what it fell by between the last two
	added     int     // by the last step
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
func (g *GCG) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	g.added = g.room(s)
	did := gcg.Moved{Added: g.added, MaxRank: g.MaxRank}
	if g.added == 0 {
		return did, nil // nothing outside the spaces of W lowers F; the improver has work left
	}
	a := g.direction(p, s, g.added) // line 3
	keep, theta := g.weigh(p, s, a) // line 4
	g.moveTo(p, s, a, keep, theta)  // line 5
	return did, nil
}

// room is how many atoms of the polar the step may add.
func (g *GCG) room(s *gcg.State) int {
	count := s.Polar.Count()
	if g.MaxRank > 0 {
		count = min(count, max(0, g.MaxRank-s.W.Rank()))
	}
	return count
}

// weigh is line 4: the weights c of W and θ of the atom by the rule, [Yu17 eq 40] for LineSearch and [Yu17 eq 21, 34] for the
// others.
func (g *GCG) weigh(p *view.Problem, s *gcg.State, a *stepDirection) (keep, theta float64) {
	if g.Rule == LineSearch {
		if keep, theta = jointSearch(p, s, a, g.searchTol(p)); view.HoldsGauge(p.Penalty) {
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
func (g *GCG) searchTol(p *view.Problem) float64 {
	if g.set.Improved && (g.OutsideW || view.IsLinear(p.Penalty)) {
		return improvedTol
	}
	return 0
}

// moveTo is line 5: W ← cW + θa and ρ ← cρ + θ, with c = keep. The predictions move by the same two scalars where they are
// kept; with an intercept they are computed anew.
func (g *GCG) moveTo(p *view.Problem, s *gcg.State, a *stepDirection, keep, theta float64) {
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
	s.MergeAtoms(g.set)
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

// Name is gcg.
func (g *GCG) Name() string { return "gcg" }

// Descends reports whether no step raises F, which holds for the line search.
func (g *GCG) Descends() bool { return g.Rule == LineSearch }

// Init checks the options. It needs nothing of the problem.
func (g *GCG) Init(problem *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	p := view.Of(problem)
	if g.Rule < LineSearch || g.Rule > QuadraticBound {
		return fmt.Errorf("solver: gcg has no step rule %d", g.Rule)
	}
	if g.Rule == ConstantStep && g.Horizon < 1 {
		return fmt.Errorf("solver: the constant step of gcg needs a horizon of at least 1 iteration, not %d", g.Horizon)
	}
	if g.Atoms < 0 || g.MaxRank < 0 {
		return fmt.Errorf("solver: gcg adds %d atoms a step, up to a rank of %d; neither is negative, and 0 means that it chooses",
			g.Atoms, g.MaxRank)
	}
	g.set, g.last, g.added = set, math.Inf(1), 0
	g.lipschitz = 1
	if p.Curved != nil {
		if l := p.CurvatureAt(p.Curved, s.Z) / 16; l > 0 {
			g.lipschitz = l // grows when a step does not hold
		}
	}
	return nil
}

// WithoutPredictions reports whether the step rule needs no predictions: the line search has a closed form for gcg.Squares.
func (g *GCG) WithoutPredictions() bool { return g.Rule == LineSearch }

// Ask wants as many atoms as a step can use, which are more as the rank grows. Where the last step lowered nothing although
// the gap is wide, atoms may come from within the spaces of W too.
func (g *GCG) Ask(problem *gcg.Problem, s *gcg.State) gcg.Ask {
	p := view.Of(problem)
	count := g.Atoms
	if count == 0 {
		count = 1
		if p.BlockGauge != nil {
			count = max(32, len(s.W.Terms))
		} else if p.Dictionary != nil && g.set.Improved {
			count = columnsAtOnce
		} else if g.OutsideW {
			count = min(max(leastAtoms(p), growth(p)*s.W.Rank(), quarter(p)), p.MostAtoms())
		}
	}
	f := s.Objective(p.Problem)
	g.gain = g.last - f
	g.stuck, g.last = g.OutsideW && s.Iter > 0 && f >= g.last-view.Rounding*math.Abs(f) && s.Cert.Relative > stuckAbove, f
	right := min(s.W.Rank()/4, view.MaxOutside)
	if s.W.Rank() < outsideFrom {
		right = 0
	}
	return gcg.Ask{Count: count, Above: view.Lambda(p.Problem, s), OutsideW: g.OutsideW && !g.stuck,
		Spectral: gcg.SpectralAsk{Right: right, Stacked: g.Rule == LineSearch}}
}

// columnsAtOnce are the atoms that W gets in a step where the improver moves them all.
const columnsAtOnce = 24

// outsideFrom is the rank from which on pairs outside the spaces of W are asked for. Below it products with blocks cost more
// than they save.
const outsideFrom = 24

// growth is how many times its own rank W may grow by in a step. Work of the improver at far too low a rank is lost; so is
// work on atoms that turn out to be too many, which weighs more where data are so large that no predictions are kept.
func growth(p *view.Problem) int {
	if p.Squares != nil && !p.FreeDual() {
		return 1
	}
	return 4
}

// leastAtoms is how many atoms are asked for while the rank is low: half of the most where a gap closes while some are missing.
func leastAtoms(p *view.Problem) int {
	if p.FreeDual() {
		return p.MostAtoms() / 2
	}
	return 16
}

// Limited reports that W has come to MaxRank, which keeps out atoms that would close the gap, and that the last step gained
// hardly anything beside the tolerance.
func (g *GCG) Limited(p *gcg.Problem, s *gcg.State) bool {
	return g.MaxRank > 0 && s.W.Rank() >= g.MaxRank && g.added == 0 && s.Polar.Count() > 0 &&
		g.gain < limitedGain*g.set.Tol*math.Abs(s.Objective(p))
}

// limitedGain is the part of the tolerance that a step at MaxRank must gain to be worth another.
const limitedGain = 0.01

// quarter is a quarter of all directions that W can have where the loss is not quadratic, and 0 else. The Newton steps of
// Local then take about as many products for many directions as for few, and each round costs several passes; sweeps prefer
// few.
func quarter(p *view.Problem) int {
	if p.Quadratic() {
		return 0
	}
	m, n, _ := p.Operator.Dims()
	return min(m, n) / 4
}

// stuckAbove is the gap above which an improver that lowers nothing has not come to rounding but is stuck.
const stuckAbove = 1e-7
