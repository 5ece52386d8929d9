package gauge_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

// productsOnly hides RowsTo, so that entries come from products with unit vectors.
type productsOnly struct{ gcg.Map }

// conforms runs the checks of conform.Gauge at random maps of every size, dense ones and ones known by products, full,
// sparse and of rank one, at common and at extreme scales; and compares the polar with a naive twin.
func conforms(t *testing.T, sizes [][2]int, build func(m, n int) gcg.Gauge, naive func(g conform.Matrix) float64) {
	t.Helper()
	rng := rand.New(rand.NewPCG(4, 2))
	for _, d := range sizes {
		for kind, w := range maps(rng, d[0], d[1]) {
			t.Run(fmt.Sprintf("%dx%d/%s", d[0], d[1], kind), func(t *testing.T) {
				k := build(d[0], d[1])
				var g gcg.Map = w
				if kind == "sparse" {
					g = productsOnly{w}
				}
				checks, err := conform.Gauge(context.Background(), k, g, rng)
				if err != nil {
					t.Fatalf("%s: %v", k.Name(), err)
				}
				for _, c := range checks {
					if !c.OK() {
						t.Errorf("%s: %v", k.Name(), c)
					}
				}
				p, err := k.Polar(context.Background(), g, gcg.Ask{Count: 1, Tol: 1e-9})
				if naive == nil || err != nil {
					return
				}
				want := naive(w)
				if tolerance := 1e-11 * conformScale(w); p.Value > want+tolerance || p.Bound < want-tolerance || p.Kind == gcg.Proven &&
					math.Abs(p.Bound-want) > 100*tolerance {
					t.Errorf("%s: %v ≤ κ° ≤ %v (%s), a naive twin finds %v", k.Name(), p.Value, p.Bound, p.Kind, want)
				}
			})
		}
	}
}

var sizes = [][2]int{{1, 1}, {1, 7}, {6, 1}, {5, 7}, {20, 15}}

func maps(rng *rand.Rand, m, n int) map[string]conform.Matrix {
	all := map[string]conform.Matrix{}
	for _, kind := range []string{"full", "sparse", "tiny", "huge", "negative"} {
		w := make([]float64, m*n)
		for e := range w {
			w[e] = rng.NormFloat64()
			switch {
			case kind == "sparse" && rng.IntN(3) > 0:
				w[e] = 0
			case kind == "tiny":
				w[e] *= 1e-100
			case kind == "huge":
				w[e] *= 1e100
			case kind == "negative":
				w[e] = -1 - math.Abs(w[e])
			}
		}
		all[kind] = conform.Matrix{M: m, N: n, Data: w}
	}
	return all
}

func conformScale(g conform.Matrix) float64 {
	var s float64
	for _, x := range g.Data {
		s += math.Abs(x)
	}
	return s
}
