package allcells_test

import (
	"math"
	"testing"
)

// The sums at a dual point G - U Vᵀ against the definition: r' = r - c^-½ Δ there, of all cells.
func TestShiftedSums(t *testing.T) {
	for seed := range uint64(6) {
		c, d, rng := newCells(t, seed, seed%2 == 1)
		if seed >= 2 {
			c.Move(drawn(rng, d.m, 3), drawn(rng, d.n, 3))
		}
		u, v := drawn(rng, d.m, 4), drawn(rng, d.n, 4)
		g := make([]float64, d.m*d.n)
		c.Adjoint(nil).(interface{ RowsTo([]float64, int) }).RowsTo(g, 0)
		var rr, ry, square, of float64
		for i := range d.m {
			for j := range d.n {
				delta := dot(u.Row(i)[:4], v.Row(j)[:4])
				e := i*d.n + j
				y := (g[e] - delta) / (d.own[i] * d.at[j]) // c (p - x) - Δ
				rr += y * y / d.c[e]
				ry += y * d.p[e]
				change := delta / (d.own[i] * d.at[j])
				square += change * change / d.c[e] / 2
				of += delta * delta
			}
		}
		if gr, gy := c.ShiftedSums(u, v); math.Abs(gr-rr) > rounding*rr || math.Abs(gy-ry) > rounding*rr {
			t.Errorf("seed %d: sums are %v and %v, want %v and %v", seed, gr, gy, rr, ry)
		}
		if seed%2 == 0 && c.ShiftPrice()*of < square {
			t.Errorf("seed %d: a price of %v for a change that costs %v", seed, c.ShiftPrice(), square/of)
		}
	}
}
