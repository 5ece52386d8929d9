package gauge

import (
	"github.com/seed-b18ef778/gcg"
)

// An Evaluator is a gauge that knows its own value.
type Evaluator interface {
	gcg.Gauge
	// Of is κ(W) of a dense row-major m×n matrix W: +Inf where W is no sum of atoms, NaN where no closed form is known.
	Of(w []float64, m, n int) float64
}
