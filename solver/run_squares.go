package solver

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
)

// Data that keeps its observations to itself (gcg.Squares) has no predictions to look at: the methods that work on it ask for
// passes. They are GCG with its line search, and Local.

// moments is a Method or an Improver that may say that it works on such data. One that embeds a GCG or a Local says it with it.
type moments interface{ WithoutPredictions() bool }

// WithoutPredictions says that the line search has a closed form for gcg.Squares.
func (g *GCG) WithoutPredictions() bool { return g.Rule == LineSearch }

// WithoutPredictions says that Newton steps and sweeps work on gcg.Squares.
func (l *Local) WithoutPredictions() bool { return true }

// checkSquares refuses methods that need predictions.
func checkSquares(p *gcg.Problem, method Method, im Improver) error {
	if _, ok := p.Operator.(gcg.Squares); !ok {
		return nil
	}
	if m, ok := method.(moments); !ok || !m.WithoutPredictions() {
		return fmt.Errorf("solver: %s works on predictions, which %T does not keep; it has GCG with line search", method.Name(), p.Operator)
	}
	if im != nil {
		if m, ok := im.(moments); !ok || !m.WithoutPredictions() {
			return fmt.Errorf("solver: the %s improver works on predictions, which %T does not keep; it has local", im.Name(), p.Operator)
		}
	}
	return nil
}
