package extending

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// FrankWolfe is the classical conditional gradient method for κ(W) ≤ ζ: in step t
//
//	W ← (1-η)W + ηζa,   η = 2/(t+2)
//
// with an atom a that maximises ⟨a, -∇ℓ(W)⟩. Its gap falls as 1/t.
type FrankWolfe struct{}

// Name is what results and errors call the method.
func (*FrankWolfe) Name() string { return "frank-wolfe" }

// Init refuses a penalty that bounds nothing.
func (*FrankWolfe) Init(p *gcg.Problem, _ *gcg.State, _ gcg.Settings) error {
	if math.IsInf(p.Penalty.Max(), 1) {
		return fmt.Errorf("frank-wolfe needs a bound κ(W) ≤ ζ; %T has none", p.Penalty)
	}
	return nil
}

// Ask wants one atom.
func (*FrankWolfe) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step moves W, the bound ρ of its gauge, and what belongs to W.
func (*FrankWolfe) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	eta, zeta := 2/float64(s.Iter+2), p.Penalty.Max()
	s.W.Scale(1 - eta)
	s.W.Add(s.Polar.Atoms[:1], []float64{eta * zeta})
	s.Rho = (1-eta)*s.Rho + eta*zeta
	s.Refresh(p)
	return gcg.Moved{Added: 1}, nil
}

// Descends is false: a step may raise F, and Run then waits longer before it calls the method stalled.
func (*FrankWolfe) Descends() bool { return false }
