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

// Atoms have unit sides and attain what is said, which is at most σ₁, where Lanczos steps come to the end of what G has outside
// the spaces of W, be it nothing, and go on in rounding errors: gradients have a low rank where there are few observations.
func TestAtomsBesideRounding(t *testing.T) {
	const m, n = 310, 270
	rng := rand.New(rand.NewPCG(5, 4))
	disturbed := func(g reflected, k int, by float64) *gcg.Iterate {
		w := &gcg.Iterate{M: m, N: n}
		for c := range k {
			e, u, v := make([]float64, n), make([]float64, m), make([]float64, n)
			e[c] = 1
			g.MulTo(u, e) // no singular vectors, unless all singular values are equal
			g.TMulTo(v, u)
			for i := range u {
				u[i] += by * rng.NormFloat64()
			}
			for i := range v {
				v[i] += by * rng.NormFloat64()
			}
			w.Add([]gcg.Atom{gcg.RankOne(u, v)}, []float64{1})
		}
		return w
	}
	for _, rank := range []int{2, 5, n} {
		g := reflected{unitVector(rng, m), unitVector(rng, n), make([]float64, n)}
		for i := range rank {
			g.s[i] = 1
		}
		for _, ask := range []gcg.Ask{{Tol: 1e-12}, {Tol: 1e-6, Exact: true}, {Tol: 1e-6, OutsideW: true}, {Tol: 1e-3, Above: 1.01}} {
			for _, k := range []int{2, 3, 19, 71} {
				for _, by := range []float64{1e-4, 1} {
					t.Run(fmt.Sprintf("rank %d/%d of W, %g off/%+v", rank, k, by, ask), func(t *testing.T) {
						ask.W, ask.Count, ask.Seed = disturbed(g, k, by), 20, rng.Uint64()
						p, err := gauge.Trace{}.Polar(context.Background(), g, ask)
						if err != nil {
							t.Fatal(err)
						}
						if !ask.OutsideW && p.Value < 0.99 || p.Value > 1+1e-12 || p.Bound < 1-1e-12 {
							t.Errorf("σ₁ = 1 is between %v and %v", p.Value, p.Bound)
						}
						for i, a := range p.Atoms {
							if size := math.Sqrt(a.Frobenius2()); math.Abs(size-1) > 1e-10 || math.Abs(a.Dot(g)-p.Values[i]) > 1e-10 {
								t.Errorf("atom %d of size %v attains %v, not %v", i+1, size, a.Dot(g), p.Values[i])
							}
						}
					})
				}
			}
		}
	}
}
