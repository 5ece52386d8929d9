package solver

import (
	"context"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/conditional"
	"github.com/seed-b18ef778/gcg/solver/convex"
	"github.com/seed-b18ef778/gcg/solver/coordinate"
	"github.com/seed-b18ef778/gcg/solver/cur"
	"github.com/seed-b18ef778/gcg/solver/dense"
	"github.com/seed-b18ef778/gcg/solver/fixedrank"
	"github.com/seed-b18ef778/gcg/solver/hybrid"
	"github.com/seed-b18ef778/gcg/solver/sliding"
	"github.com/seed-b18ef778/gcg/solver/structured"
	"github.com/seed-b18ef778/gcg/solver/support"
	"github.com/seed-b18ef778/gcg/solver/views"
)

// The methods and improvers, each of a package of its own, by the names that programs use.
type (
	// GCG is generalized conditional gradient [Yu17 Algorithms 1-3].
	GCG = conditional.Method
	// Rule is how a step of GCG weighs the old iterate and the new atoms.
	Rule = conditional.Rule
	// AtomDescent is coordinate descent on the weights of atoms [Dudik12 Algorithm 3].
	AtomDescent = support.AtomDescent
	// CoordinateDescent is coordinate descent on a working set of blocks, as for ℓ1 and groups on vectors.
	CoordinateDescent = coordinate.Method
	// Convex is conditional gradient for a convex f of bounded domain that is no gauge.
	Convex = convex.Method
	// HCGS is the hybrid conditional gradient and smoothing method for a second, Lipschitz penalty [Argyriou14 Algorithm 2].
	HCGS = hybrid.Method
	// Structured solves problems of structured.Problem, which have a second penalty on a vector.
	Structured = structured.Method
	// Sliding is conditional gradient with gradient sliding [Cheung15 Algorithms 1-4].
	Sliding = sliding.Method
	// WorkingSet is ADMM on a working set of rows, for selections of rows and columns.
	WorkingSet = cur.Method
	// Local is the improver of the trace norm: matrices of fixed rank.
	Local = fixedrank.Local
	// Splitting is alternating directions for gauges of several views.
	Splitting = views.Method
	// Dictionary is the improver of gauges of several views: both factors at fixed rank.
	Dictionary = views.Dictionary
	// Tighten is the improver that only evaluates κ(W).
	Tighten = dense.Tighten
)

// The rules of GCG.
const (
	LineSearch     = conditional.LineSearch     // both weights by a joint search: the default
	OpenLoop       = conditional.OpenLoop       // η = 2/(t+2)
	OpenLoop1      = conditional.OpenLoop1      // η = 1/(t+1)
	ConstantStep   = conditional.ConstantStep   // η = 1-(T+1)^(-1/T) for T steps
	QuadraticBound = conditional.QuadraticBound // θ from a quadratic upper bound
)

// Corrective re-optimises the weights of atoms, or the entries of the blocks that they have touched: support.Corrective. Where
// κ is held at a constant and entries outnumber observations, dense.Proximal takes its place: second derivatives are singular
// then, and κ of a model's minimiser jumps as the multiplier moves.
type Corrective struct {
	Steps int // Newton steps for one call; 0 means 20, of which a squared loss takes one

	weights support.Corrective
	whole   dense.Proximal
}

// Name is corrective.
func (c *Corrective) Name() string { return "corrective" }

// Improve is that of support.Corrective or of dense.Proximal.
func (c *Corrective) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if v := view.Of(p); v.Curved != nil && outnumbered(v, s) {
		return c.whole.Improve(ctx, p, s)
	}
	c.weights.Steps = c.Steps
	return c.weights.Improve(ctx, p, s)
}

// outnumbered says that κ is held at a constant and that W has more entries than there are observations.
func outnumbered(p *view.Problem, s *gcg.State) bool {
	_, _, nobs := p.Operator.Dims()
	return view.HoldsGauge(p.Penalty) && p.Prox != nil && p.Splitter != nil && len(s.W.Terms) > nobs && dense.Fits(p.Problem)
}

// Proximal takes proximal gradient steps on W as a matrix: dense.Proximal. The blocks of a W that is too large to be kept so are
// re-optimised as by Corrective.
type Proximal struct {
	Steps int // for one call; 0 means 100

	whole   dense.Proximal
	weights support.Corrective
}

// Name is proximal.
func (x *Proximal) Name() string { return "proximal" }

// Improve is that of dense.Proximal or of support.Corrective.
func (x *Proximal) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if v := view.Of(p); v.Prox != nil && v.BlockGauge != nil && v.Splitter != nil && !dense.Fits(p) {
		return x.weights.Improve(ctx, p, s)
	}
	x.whole.Steps = x.Steps
	return x.whole.Improve(ctx, p, s)
}
