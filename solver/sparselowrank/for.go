package sparselowrank

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// A Method is one of the package.
type Method interface {
	Name() string
	Init(p *gcg.Problem, s *gcg.State) error
	Ask(p *gcg.Problem, s *gcg.State) gcg.Ask
	Step(ctx context.Context, p *gcg.Problem, s *gcg.State) error
}

// For is the method that suits a problem: Dual where λ ≤ λ₁, or where a bound may have such a multiplier, and else Splitting.
func For(p *gcg.Problem) Method {
	sum, ok := p.Loss.(*loss.WithL1)
	if _, _, err := oneWeight(p.Loss); !ok || err != nil || sum.Lambda == 0 {
		return &Splitting{}
	}
	if c, is := coneOf(p.Gauge); c != general || !is {
		return &Splitting{}
	}
	if !math.IsInf(p.Penalty.Max(), 1) {
		return &Bounded{}
	}
	if p.Penalty.Deriv(0) <= sum.Lambda {
		return &Dual{}
	}
	return &Splitting{}
}

// Bounded is Dual for a bound on ‖X‖_*, and Splitting from where that stands once the multiplier turns out to be above λ₁.
type Bounded struct {
	dual    Dual
	further Splitting
	split   bool
}

// Name is dual or splitting.
func (b *Bounded) Name() string {
	if b.split {
		return b.further.Name()
	}
	return b.dual.Name()
}

// Descends is false.
func (*Bounded) Descends() bool { return false }

// Init is that of Dual.
func (b *Bounded) Init(p *gcg.Problem, s *gcg.State) error {
	b.split = false
	return b.dual.Init(p, s)
}

// Ask wants nothing: the steps bring their own polars.
func (*Bounded) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// patience is the steps after which a multiplier above λ₁ is believed: at first ‖B‖₂ may be above the one that it ends at. Problems with
// λ < λ₁ were solved in at most 12.
const patience = 3

// Step is one of either.
func (b *Bounded) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	step := b.dual.Step
	if !b.split && s.Iter >= patience && b.dual.norm > b.dual.lambda {
		b.split = true
		if err := b.further.Init(p, s); err != nil {
			return err
		}
	}
	if b.split {
		step = b.further.Step
	}
	return step(ctx, p, s)
}
