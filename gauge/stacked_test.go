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

// turned is the transpose.
type turned struct{ gcg.Map }

func (t turned) Dims() (m, n int)        { m, n = t.Map.Dims(); return n, m }
func (t turned) MulTo(dst, x []float64)  { t.Map.TMulTo(dst, x) }
func (t turned) TMulTo(dst, y []float64) { t.Map.MulTo(dst, y) }

// Atoms that come together are the columns of what they are one by one.
func TestAtomsTogether(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	g := reflected{unitVector(rng, 500), unitVector(rng, 400), make([]float64, 400)}
	for i := range g.s {
		g.s[i] = math.Pow(0.9, float64(i))
	}
	for _, m := range []gcg.Map{g, turned{g}} {
		rows, cols := m.Dims()
		t.Run(fmt.Sprintf("%dx%d", rows, cols), func(t *testing.T) {
			ask := gcg.Ask{Count: 5, Above: 0.3, Tol: 1e-3, OutsideW: true, Seed: 2}
			single, err := gauge.Trace{}.Polar(context.Background(), m, ask)
			if err != nil {
				t.Fatal(err)
			}
			ask.Spectral.Stacked = true
			p, err := gauge.Trace{}.Polar(context.Background(), m, ask)
			if err != nil {
				t.Fatal(err)
			}
			if p.Count() != 5 || single.Count() != 5 || p.Atoms != nil || p.Spectral.U.Rows != rows || p.Spectral.V.Rows != cols ||
				p.Bound != single.Bound {
				t.Fatalf("%d atoms together and %d one by one, bounds %v and %v", p.Count(), single.Count(), p.Bound, single.Bound)
			}
			for c, a := range single.Atoms {
				if p.Values[c] != single.Values[c] {
					t.Errorf("atom %d attains %v together, and %v alone", c, p.Values[c], single.Values[c])
				}
				same(t, p.Spectral.U, a.U, c)
				same(t, p.Spectral.V, a.V, c)
			}
		})
	}
}

func same(t *testing.T, all, one *gcg.Factor, c int) {
	t.Helper()
	for i := range all.Rows {
		if all.Row(i)[c] != one.Row(i)[0] {
			t.Fatalf("row %d of column %d is %v, and %v of the atom", i, c, all.Row(i)[c], one.Row(i)[0])
		}
	}
}
