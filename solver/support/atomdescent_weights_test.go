package support

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// The weights of atoms whose predictions are nearly alike are optimal: with the slope μ of h where Σσ ends, no weight has a
// gradient g + μ below 0, and those that are not 0 have none.
func TestWeightsAreOptimal(t *testing.T) {
	const n, observations = 30, 40
	rng := rand.New(rand.NewPCG(3, 1))
	for _, alike := range []float64{1, 1e-2, 1e-4} {
		x := make([]float64, n*observations) // atom by atom
		common := make([]float64, observations)
		for i := range common {
			common[i] = rng.NormFloat64()
		}
		for e := range x {
			x[e] = common[e%observations] + alike*rng.NormFloat64()
		}
		start := make([]float64, n)
		m := &weightModel{grad: make([]float64, n), hess: make([]float64, n*n)}
		for i := range n {
			start[i] = rng.Float64() / n
			m.grad[i] = -observations * (1 + alike*rng.NormFloat64()) / 2
			for j := range n {
				m.hess[i*n+j] = kernel.Dot(x[i*observations:(i+1)*observations], x[j*observations:(j+1)*observations])
			}
		}
		for name, h := range map[string]gcg.Penalty{"linear": gauge.Linear{Lambda: 0.3}, "square": gauge.Square{Lambda: 2},
			"ball": gauge.Ball{Zeta: 0.3}, "wide ball": gauge.Ball{Zeta: 300},
			"equal": gauge.Equal{Zeta: 0.2}, "beyond": gauge.Equal{Zeta: 5}} {
			sigma := m.minimise(context.Background(), h, start)
			g := append([]float64(nil), m.grad...)
			var total, moment float64
			for i, s := range sigma {
				kernel.Axpy(s-start[i], m.hess[i*n:(i+1)*n], g)
				total += s
			}
			for i, s := range sigma {
				moment -= s * g[i]
			}
			mu := h.Deriv(total)
			if zeta := h.Max(); total > zeta*(1+1e-12) {
				t.Errorf("%v, %s: Σσ = %v", alike, name, total)
			} else if total > 0.999*zeta {
				mu = moment / zeta
			}
			for i, s := range sigma {
				if off := g[i] + mu; s < 0 || off < -1e-7*observations || s > 0 && math.Abs(off) > 1e-7*observations {
					t.Errorf("%v, %s: weight %d is %.3g, with gradient %.2g", alike, name, i, s, off)
				}
			}
		}
	}
}
