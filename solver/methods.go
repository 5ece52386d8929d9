package solver

import (
	"context"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/dense"
	"github.com/seed-b18ef778/gcg/solver/support"
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

// Init refuses what support.Corrective does.
func (c *Corrective) Init(p *gcg.Problem, set gcg.Settings) error { return c.weights.Init(p, set) }

// Improve is that of support.Corrective or of dense.Proximal.
func (c *Corrective) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	if v := view.Of(p); v.Curved != nil && outnumbered(v, s) {
		return c.whole.Improve(ctx, p, s, did)
	}
	c.weights.Steps = c.Steps
	return c.weights.Improve(ctx, p, s, did)
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

// Init refuses what dense.Proximal or support.Corrective does.
func (x *Proximal) Init(p *gcg.Problem, set gcg.Settings) error {
	if ofBlocks(p) {
		return x.weights.Init(p, set)
	}
	return x.whole.Init(p, set)
}

// ofBlocks says that W is too large for a matrix, and made of blocks.
func ofBlocks(p *gcg.Problem) bool {
	v := view.Of(p)
	return v.Prox != nil && v.BlockGauge != nil && v.Splitter != nil && !dense.Fits(p)
}

// Improve is that of dense.Proximal or of support.Corrective.
func (x *Proximal) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	if ofBlocks(p) {
		return x.weights.Improve(ctx, p, s, did)
	}
	x.whole.Steps = x.Steps
	return x.whole.Improve(ctx, p, s, did)
}
