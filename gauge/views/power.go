package views

import (
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

const (
	// powerSteps limits the iteration: it converges as a power iteration does.
	powerSteps = 500
	// powerRest is the part of the value below which a step is the last.
	powerRest = rounding.Number
	// powerClosed is the part of the value that the certificate of the iteration may be above it.
	powerClosed = 1e-9
)

// powerPolar is the power-like iteration of [Yu17 eq 61-62],
//
//	v ← Gᵀ[a; b]/‖·‖,   a ← βG₁v/‖G₁v‖,   b ← γG₂v/‖G₂v‖
//
// from a random start. It has fixed points that are no maxima. So it reports false unless λ₁(K(τ)) at τ = p/(p+q) certifies its
// end: p = β‖G₁v‖, q = γ‖G₂v‖.
func (w *written) powerPolar(ask gcg.Ask) (gcg.Polar, bool) {
	p := pencil{w.d, w.grams[0], w.grams[1]}
	rng := rand.New(rand.NewPCG(ask.Seed, 0x706f776572))
	v := make([]float64, w.d)
	for i := range v {
		v[i] = rng.NormFloat64()
	}
	unit(v)
	var a, b, last float64
	for range powerSteps {
		a, b = p.norms(v)
		if a+b <= last*(1+powerRest) {
			break
		}
		last = a + b
		up := make([]float64, w.d)
		for i, norm := range []float64{a, b} {
			if norm > 0 {
				kernel.Axpy(1/norm, times(w.grams[i], v), up)
			}
		}
		if up = unit(up); up == nil {
			return gcg.Polar{}, false
		}
		v = up
	}
	x := math.Max(-farthest, math.Min(farthest, math.Log(a)-math.Log(b)))
	if math.IsNaN(x) {
		return gcg.Polar{}, false
	}
	top := p.top(x, 1)
	if math.Sqrt(math.Max(top.values[0], 0)) > (a+b)*(1+powerClosed) {
		return gcg.Polar{}, false
	}
	value, atom := w.attains(v)
	bound := math.Sqrt(math.Max(top.values[0], 0)+w.rounding(top.trace)) * (1 + 4*linalg.Epsilon)
	return gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Bound: math.Max(bound*w.scale, value),
		Kind: gcg.Proven, Alpha: 1}, true
}
