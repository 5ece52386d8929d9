package gcg

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// Method is generalized conditional gradient for gauge penalties [Yu17 Algorithms 1-3; Zhang12 Algorithm 1]. Per iteration
//
//	a      ← an atom that maximises ⟨a, -∇ℓ(W)⟩                    the polar
//	(c, θ) ← the step rule                                          weights of the old iterate and of the atom
//	W      ← c W + θ a,   ρ ← c ρ + θ
//	W, ρ   ← improve(W, ρ)                                          done by Run's Improver
//
// With more than one atom at a time, a is the combination of the leading singular pairs whose weights minimise the loss's
// separable model; its gauge is at most the sum of these weights.
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
	// QuadraticBound takes θ from the quadratic upper bound at η = 0 and, where that does not lower F, at the better of 0 and 2/(t+2).
	QuadraticBound
)

// Name is gcg.
func (g *Method) Name() string { return "gcg" }

// Descends reports whether no step raises F, which holds for the line search.
func (g *Method) Descends() bool { return g.Rule == LineSearch }

// Init checks the options. It needs nothing of the problem.
func (g *Method) Init(problem *gcg.Problem, s *gcg.State) error {
	p := view.Of(problem)
	if g.Rule < LineSearch || g.Rule > QuadraticBound {
		return fmt.Errorf("solver: gcg has no step rule %d", g.Rule)
	}
	if g.Rule == ConstantStep && g.Horizon < 1 {
		return fmt.Errorf("solver: the constant step of gcg needs a horizon of at least 1 iteration, not %d", g.Horizon)
	}
	if g.Atoms < 0 || g.MaxRank < 0 {
		return fmt.Errorf("solver: gcg adds %d atoms a step, up to a rank of %d; neither is negative, and 0 means that it chooses", g.Atoms, g.MaxRank)
	}
	g.last, s.MaxRank = math.Inf(1), g.MaxRank
	g.lipschitz = 1
	if p.Curved != nil {
		if l := gcg.CurvatureAt(p.Curved, s.Z) / 16; l > 0 {
			g.lipschitz = l // grows when a step does not hold
		}
	}
	return nil
}

// Ask wants as many atoms as a step can use, which are more as the rank grows. Where the last step lowered nothing although
// the gap is wide, atoms may come from within the spaces of W too.
func (g *Method) Ask(problem *gcg.Problem, s *gcg.State) gcg.Ask {
	p := view.Of(problem)
	count := g.Atoms
	if count == 0 {
		count = 1
		if p.BlockGauge != nil {
			count = max(32, len(s.W.Terms))
		} else if g.OutsideW {
			count = min(max(16, growth(p)*s.W.Rank(), quarter(p)), view.MostAtoms)
		}
	}
	f := s.Objective(p.Problem)
	g.gain = g.last - f
	g.stuck, g.last = g.OutsideW && s.Iter > 0 && f >= g.last-1e-14*math.Abs(f) && s.Cert.Relative > stuckAbove, f
	near := min(s.W.Rank()/4, view.MaxOutside)
	if s.W.Rank() < view.OutsideFrom { // products with blocks cost more than they save
		near = 0
	}
	return gcg.Ask{Count: count, Above: view.Lambda(p.Problem, s), OutsideW: g.OutsideW && !g.stuck,
		Spectral: gcg.SpectralAsk{Right: near, Stacked: g.Rule == LineSearch}}
}

// growth is how many times its own rank W may grow by in a step. Work of the improver at far too low a rank is lost; so is
// work on atoms that turn out to be too many, which weighs more where data are so large that no predictions are kept.
func growth(p *view.Problem) int {
	if p.Squares != nil {
		return 1
	}
	return 4
}

// Limited reports that W has come to MaxRank, which keeps out atoms that would close the gap, and that the last step gained
// hardly anything beside the tolerance.
func (g *Method) Limited(p *gcg.Problem, s *gcg.State) bool {
	return g.MaxRank > 0 && s.W.Rank() >= g.MaxRank && s.Added == 0 && s.Polar.Count() > 0 && g.gain < limitedGain*s.Tol*math.Abs(s.Objective(p))
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

// Step adds the atoms of the polar with the weights of the rule. Where MaxRank leaves no room, or there are no atoms, W
// stays and the improver is left to work.
func (g *Method) Step(_ context.Context, problem *gcg.Problem, s *gcg.State) error {
	p := view.Of(problem)
	s.Added = s.Polar.Count()
	if g.MaxRank > 0 {
		s.Added = min(s.Added, max(0, g.MaxRank-s.W.Rank()))
	}
	if s.Added == 0 {
		return nil // nothing outside the spaces of W lowers F; the improver has work left
	}
	d := g.direction(p, s)
	var keep, theta float64
	switch g.Rule {
	case LineSearch:
		tol := 0.0
		if s.Improved && (g.OutsideW || view.IsLinear(p.Penalty)) { // where a loss is flat within a ball the improver's own steps are short
			tol = 0.1
		}
		keep, theta = jointSearch(p, s, d, tol)
	default:
		keep, theta = g.quadratic(p, s, d)
	}
	apply(p, s, d, keep, theta)
	return nil
}

// apply moves the state to W ← keep·W + θ·direction. The predictions move by the same two scalars where they are kept; with
// an intercept they are computed anew.
func apply(p *view.Problem, s *gcg.State, d *stepDirection, keep, theta float64) {
	s.W.Scale(keep)
	weights := make([]float64, len(d.weights))
	for i, w := range d.weights {
		weights[i] = theta * w
	}
	if keep == 0 {
		s.W.SetFactors(nil, nil)
		s.W.Terms = nil
	}
	s.W.Add(d.atoms, weights)
	s.Rho = keep*s.Rho + theta
	s.MergeAtoms()
	if s.Intercept != nil {
		s.Refresh(p.Problem)
		return
	}
	par.Pieces(len(s.Z), func(lo, hi int) {
		kernel.Scale(keep, s.Z[lo:hi])
		kernel.Axpy(theta, d.z[lo:hi], s.Z[lo:hi])
	})
	s.Evaluate(p.Problem)
}

// WithoutPredictions reports whether the step rule needs no predictions: the line search has a closed form for gcg.Squares.
func (g *Method) WithoutPredictions() bool { return g.Rule == LineSearch }
