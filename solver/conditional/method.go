package conditional

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
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
		return fmt.Errorf("solver: gcg adds %d atoms a step, up to a rank of %d; neither is negative, and 0 means that it chooses",
			g.Atoms, g.MaxRank)
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

// WithoutPredictions reports whether the step rule needs no predictions: the line search has a closed form for gcg.Squares.
func (g *Method) WithoutPredictions() bool { return g.Rule == LineSearch }
