package recovery

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
)

// Auto is Dual where the solution has observed entries alone, as with λ ≤ λ₁, and else Splitting. A bound on ‖X‖_* begins with
// Dual, and goes on with Splitting from where that stands once the multiplier turns out to be above λ₁.
type Auto struct {
	dual   Dual
	split  Splitting
	steps  func(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error)
	unsure bool // Dual may be the wrong one
	set    gcg.Settings
}

// Name is auto.
func (*Auto) Name() string { return "auto" }

// Descends is false.
func (*Auto) Descends() bool { return false }

// Init chooses, and begins.
func (a *Auto) Init(p *gcg.Problem, s *gcg.State, set gcg.Settings) error {
	if a.set, a.unsure = set, !math.IsInf(p.Penalty.Max(), 1); suitsDual(p) {
		a.steps = a.dual.Step
		return a.dual.Init(p, s, set)
	}
	a.unsure, a.steps = false, a.split.Step
	return a.split.Init(p, s, set)
}

// suitsDual says that Dual takes the problem, and may be the one for it.
func suitsDual(p *gcg.Problem) bool {
	sum, ok := p.Loss.(*loss.WithL1)
	if !ok || sum.Lambda == 0 {
		return false
	}
	if _, _, err := oneWeight(p.Loss); err != nil {
		return false
	}
	if c, is := coneOf(p.Gauge); !is || c != general {
		return false
	}
	return !math.IsInf(p.Penalty.Max(), 1) || p.Penalty.Deriv(0) <= sum.Lambda
}

// Ask wants nothing: the steps bring their own polars.
func (*Auto) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// patience is the steps after which a multiplier above λ₁ is believed: at first ‖B‖₂ may be above the one that it ends at.
// Problems with λ < λ₁ were solved in at most 12.
const patience = 3

// Step is one of either.
func (a *Auto) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	if a.unsure && s.Iter >= patience && a.dual.norm > a.dual.lambda {
		a.unsure, a.steps, s.Polar = false, a.split.Step, nil
		if err := a.split.Init(p, s, a.set); err != nil {
			return gcg.Moved{}, err
		}
	}
	return a.steps(ctx, p, s)
}
