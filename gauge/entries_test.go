package gauge

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
)

type products struct{ gcg.Map }

// blocks multiplies several vectors at once, and does not know its rows.
type blocks struct{ products }

func (b blocks) MulBlockTo(dst, x *gcg.Factor) { byColumns(dst, x, b.MulTo) }

func (b blocks) TMulBlockTo(dst, y *gcg.Factor) { byColumns(dst, y, b.TMulTo) }

func (b blocks) BothTo(gv, gu, u, v *gcg.Factor) {
	b.MulBlockTo(gv, v)
	b.TMulBlockTo(gu, u)
}

func byColumns(dst, src *gcg.Factor, mul func(dst, x []float64)) {
	in, out := make([]float64, src.Rows), make([]float64, dst.Rows)
	for c := range src.K {
		src.ColumnTo(in, c)
		mul(out, in)
		dst.SetColumn(c, out, 1)
	}
}

// However a map can be asked, its rows are the same, in order; blocks of many sizes are crossed.
func TestRowsOfEveryKindOfMap(t *testing.T) {
	for _, d := range [][2]int{{1, 1}, {3, 200}, {200, 3}, {130, 70}, {70, 130}, {3, rowBlock + 5}} {
		m, n := d[0], d[1]
		a := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
		for e := range a.Data {
			a.Data[e] = float64(e + 1)
		}
		for name, g := range map[string]gcg.Map{"dense": a, "products": products{a}, "blocks": blocks{products{a}}} {
			next := 0
			err := forRows(context.Background(), g, func(i int, row []float64) {
				if i != next || len(row) != n {
					t.Fatalf("%dx%d %s: row %d of length %d, want row %d", m, n, name, i, len(row), next)
				}
				next++
				for j, x := range row {
					if x != a.Data[i*n+j] {
						t.Fatalf("%dx%d %s: G[%d,%d] = %g", m, n, name, i, j, x)
					}
				}
			})
			if err != nil || next != m {
				t.Errorf("%dx%d %s: %d rows, %v", m, n, name, next, err)
			}
			i, j := m-1, n/2
			if r, c := rowOf(g, i), columnOf(g, j); r[j] != a.Data[i*n+j] || c[i] != a.Data[i*n+j] {
				t.Errorf("%dx%d %s: row or column of G[%d,%d] = %g, %g", m, n, name, i, j, r[j], c[i])
			}
		}
	}
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	if err := forRows(stopped, conform.Matrix{M: 1, N: 1, Data: []float64{1}}, func(int, []float64) {}); err == nil {
		t.Error("a cancelled context went unnoticed")
	}
}
