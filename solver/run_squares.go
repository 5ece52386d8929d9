package solver

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/view"
)

// Data that keeps its observations to itself (gcg.Squares) has no predictions to look at: the methods that work on it ask for
// passes. They are GCG with its line search, and Local.

// A predictionFree is a Method or an Improver that says whether it works on such data. A type that embeds a GCG or a Local says
// it with it.
type predictionFree interface{ WithoutPredictions() bool }

// checkSquares refuses methods and improvers that need predictions where there are none.
func checkSquares(p *view.Problem, method Method, im Improver) error {
	if p.Squares == nil {
		return nil
	}
	if m, ok := method.(predictionFree); !ok || !m.WithoutPredictions() {
		return fmt.Errorf("solver: %s works on predictions, which %T does not keep; it has GCG with line search",
			method.Name(), p.Operator)
	}
	if im != nil {
		if m, ok := im.(predictionFree); !ok || !m.WithoutPredictions() {
			return fmt.Errorf("solver: the %s improver works on predictions, which %T does not keep; it has local", im.Name(),
				p.Operator)
		}
	}
	return nil
}
