package dense

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// The proximity operator of h∘κ is where nothing near is better.
func TestProximity(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	const m, n, eta = 4, 3, 2.5
	k := gauge.SchattenP{P: 3}
	for _, h := range []gcg.Penalty{gauge.Linear{Lambda: 1}, gauge.Square{Lambda: 3}, gauge.Ball{Zeta: 0.7}, gauge.Ball{Zeta: 100},
		gauge.Ball{}} {
		x := &Proximal{eta: eta}
		for range 4 { // later ones begin at the multiplier of the one before
			y, got, other := make([]float64, m*n), make([]float64, m*n), make([]float64, m*n)
			for i := range y {
				y[i] = rng.NormFloat64()
			}
			value := func(w []float64, rho float64) float64 {
				v := h.Value(rho) / eta
				for i, a := range w {
					v += (a - y[i]) * (a - y[i]) / 2
				}
				return v
			}
			rho := x.proximity(k, h, got, y, m, n)
			if of := k.Of(got, m, n); math.Abs(rho-of) > 1e-12*of {
				t.Errorf("%T: κ is %v, of the matrix %v", h, rho, of)
			}
			best := value(got, rho)
			for range 200 {
				size := math.Pow(10, -4*rng.Float64())
				for i := range other {
					other[i] = got[i] + size*rng.NormFloat64()
				}
				rho := k.Of(other, m, n)
				if rho > h.Max() {
					for i := range other {
						other[i] *= h.Max() / rho
					}
					rho = h.Max()
				}
				if v := value(other, rho); v < best-1e-12 {
					t.Fatalf("%T: %v nearby, %v where it is to be least", h, v, best)
				}
			}
		}
	}
}
