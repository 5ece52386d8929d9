package support

import (
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// extrapolateAfter is the number of sweeps between two extrapolations.
const extrapolateAfter = 5

// An extrapolation is Anderson's, of sweeps of coordinate descent [Bertrand and Massias 2021]. Gradients of a quadratic model
// combine as points do, so that it costs no product.
type extrapolation struct {
	sweeps firstorder.Anderson
	ends   [][]float64 // gradients at the ends of the sweeps
	last   []float64   // the end of the last sweep; nil before the first
}

// next takes the end (x, g) of another sweep. After extrapolateAfter of them it moves x and g to the combination, if the
// model is lower there, and begins anew.
func (e *extrapolation) next(m *blockModel, x, g []float64, mu float64) {
	if e.last == nil {
		e.sweeps, e.ends, e.last = firstorder.Anderson{Depth: extrapolateAfter}, nil, append([]float64(nil), x...)
		return
	}
	kernel.Scale(-1, e.last)
	kernel.Axpy(1, x, e.last) // the move
	e.sweeps.Add(x, e.last)
	copy(e.last, x)
	e.ends = append(e.ends, append([]float64(nil), g...))
	if len(e.ends) < extrapolateAfter {
		return
	}
	y, gy := make([]float64, len(x)), make([]float64, len(x))
	e.sweeps.CombineTo(y)
	for i, w := range e.sweeps.Weights() {
		kernel.Axpy(w, e.ends[i], gy)
	}
	e.last = nil
	if m.Value(y, gy, mu) < m.Value(x, g, mu) {
		copy(x, y)
		copy(g, gy)
	}
}
