package support

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/solver/view"
)

// An extrapolation never raises the model, keeps the gradient that of its point, and here comes nearer than the same number of sweeps.
func TestExtrapolatedSweeps(t *testing.T) {
	p, s, u, _ := hessian.partsProblem(t, 60, 12, 2, true)
	m := u.model(view.Of(p), s)
	const mu = 1e-3
	var values [2]float64
	for k := range values {
		x := append([]float64(nil), m.start...)
		g := m.gradientAt(x)
		var beyond extrapolation
		for range 13 {
			m.sweep(x, g, mu)
			before := m.Value(x, g, mu)
			if k == 1 {
				beyond.next(m, x, g, mu)
			}
			if after := m.Value(x, g, mu); after > before {
				t.Errorf("the model rose from %g to %g", before, after)
			}
		}
		for i, want := range m.gradientAt(x) {
			if math.Abs(g[i]-want) > 1e-10*(1+math.Abs(want)) {
				t.Errorf("entry %d of the gradient is %g, not %g", i, g[i], want)
			}
		}
		values[k] = m.Value(x, g, mu)
	}
	if !(values[1] < values[0]) {
		t.Errorf("%g with extrapolation, %g without", values[1], values[0])
	}
}
