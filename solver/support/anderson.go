package support

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// extrapolateAfter is the number of sweeps between two extrapolations.
const extrapolateAfter = 5

// An extrapolation is Anderson's, of sweeps of coordinate descent [Bertrand and Massias 2021]: the combination of their ends
// at which the moves of the sweeps, combined alike, are shortest. Gradients of a quadratic model combine in the same way, so
// that it costs no product.
type extrapolation struct{ x, g [][]float64 }

// next takes the end (x, g) of another sweep. After extrapolateAfter of them it moves x and g to the combination, if the
// model is lower there, and begins anew.
func (e *extrapolation) next(m *blockModel, x, g []float64, mu float64) {
	e.x, e.g = append(e.x, append([]float64(nil), x...)), append(e.g, append([]float64(nil), g...))
	if len(e.x) <= extrapolateAfter {
		return
	}
	c := e.weights()
	y, gy := make([]float64, len(x)), make([]float64, len(x))
	for i, w := range c {
		kernel.Axpy(w, e.x[i+1], y)
		kernel.Axpy(w, e.g[i+1], gy)
	}
	e.x, e.g = nil, nil
	if m.Value(y, gy, mu) < m.Value(x, g, mu) {
		copy(x, y)
		copy(g, gy)
	}
}

// weights are those of the ends of all sweeps but the first.
func (e *extrapolation) weights() []float64 {
	moves := make([][]float64, len(e.x)-1)
	for i := range moves {
		moves[i] = append([]float64(nil), e.x[i+1]...)
		kernel.Axpy(-1, e.x[i], moves[i])
	}
	return linalg.Shortest(moves)
}
