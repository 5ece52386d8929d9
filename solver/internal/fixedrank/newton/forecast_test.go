package newton

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// After a step a model is taken to be as wrong as the last one of its kind was, within bounds; other kinds keep theirs.
func TestLearnModelError(t *testing.T) {
	for _, c := range []struct{ predicted, want float64 }{{0, leastModelError}, {0.1, 0.1}, {0.9, mostModelError}} {
		n := &Iteration{p: &view.Problem{Problem: &gcg.Problem{Penalty: gauge.Linear{Lambda: 1}}}}
		n.lambda, n.F, n.sigma = 1, 1, []float64{1}
		n.norms = norms{m: 0.5}
		e := n.forecastFor(inCore)
		if e.modelError != firstModelError {
			t.Fatalf("the first model is taken to be wrong by %g", e.modelError)
		}
		n.norms = norms{} // where nothing is left
		e.predicted = c.predicted * e.before
		n.LearnModelError()
		if got := n.forecastFor(inCore).modelError; math.Abs(got-c.want) > 1e-12 {
			t.Errorf("a model that was wrong by %g is followed by one taken to be wrong by %g, not %g", c.predicted, got, c.want)
		}
		if got := n.forecastFor(inFactors).modelError; got != firstModelError {
			t.Errorf("another kind of coordinates learnt %g", got)
		}
	}
}
