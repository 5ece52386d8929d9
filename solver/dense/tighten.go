package dense

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Tighten is the improver of gauges that can evaluate κ(W) and whose atoms are not made of smaller ones, such as Schatten
// and ℓp norms. It writes W with the fewest atoms, and takes κ(W) for ρ, which the weights of the steps only bound.
type Tighten struct{}

// Name is tighten.
func (Tighten) Name() string { return "tighten" }

// Init needs a gcg.Compressor.
func (Tighten) Init(p *gcg.Problem, _ gcg.Settings) error {
	if view.OfGauge(p.Gauge).Compressor == nil {
		return fmt.Errorf("solver: the tightening improver evaluates gauges; %s cannot be", p.Gauge.Name())
	}
	return nil
}

// Improve rewrites W and lowers s.Rho to κ(W). Predictions stay as they are.
func (Tighten) Improve(_ context.Context, problem *gcg.Problem, s *gcg.State, did gcg.Moved) (gcg.Moved, error) {
	if k := view.Of(problem).Compressor; k != nil {
		s.Rho = math.Min(s.Rho, k.Compress(s.W))
	}
	return did, nil
}
