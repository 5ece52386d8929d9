package gauge_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// Bounds hold and atoms attain what is said of gradients whose squares underflow, on sides that are not decomposed whole.
func TestUnderflowingGradients(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	const n = 270
	q := unitVector(rng, n)
	for _, scale := range []float64{1e-100, 1e-150, 1e-160, 1e-200, 1e-290} {
		for _, k := range []gcg.Gauge{gauge.Trace{}, gauge.PSDTrace{}, gauge.Spectrahedron{}} {
			for _, ask := range []gcg.Ask{{Tol: 1e-3}, {Tol: 1e-6, Exact: true}, {Tol: 1e-3, OutsideW: true, Above: 0.5 * scale},
				{Tol: 1e-3, Above: 1}} {
				t.Run(fmt.Sprintf("%s/%g/%+v", k.Name(), scale, ask), func(t *testing.T) {
					g := reflected{q, q, make([]float64, n)} // (I-2qqᵀ) diag(s) (I-2qqᵀ)
					for i := range g.s {
						g.s[i] = scale * math.Pow(0.8, float64(i))
					}
					ask.Count, ask.Seed = 3, 7
					p, err := k.Polar(context.Background(), g, ask)
					if err != nil {
						t.Fatal(err)
					}
					if !(p.Bound >= scale*(1-1e-12) && (p.Bound <= 1.1*scale || ask.Above == 1)) || p.Value > p.Bound ||
						!(p.Value > 0.99*scale) {
						t.Errorf("σ₁ = %v is between %v and %v", scale, p.Value, p.Bound)
					}
					for i, a := range p.Atoms {
						if v := a.Dot(g); math.Abs(v-p.Values[i]) > 1e-9*scale {
							t.Errorf("atom %d attains %v, not %v", i+1, v, p.Values[i])
						}
					}
				})
			}
		}
	}
}
