package gcg_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/operator"
)

// Products with blocks are those with their columns, whether a map has one pass for both, one for each, or none.
func TestBlocksAreColumns(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 1))
	const m, n = 7, 5
	dense := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	for e := range dense.Data {
		dense.Data[e] = float64(rng.IntN(9) - 4) // small integers: every order of adding gives the same sum
	}
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]gcg.Map{"products": dense, "blocks": op.Adjoint(dense.Data)} {
		for _, k := range [][2]int{{1, 1}, {3, 3}, {9, 9}, {2, 4}, {0, 3}} {
			u, v := integers(rng, m, k[0]), integers(rng, n, k[1])
			gv, gu := gcg.Both(g, u, v)
			columns(t, name, gv, v, dense.MulTo)
			columns(t, name, gu, u, dense.TMulTo)
		}
	}
}

// A map is written out by its rows, or by products with more unit vectors than one block has.
func TestDenseTo(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 2))
	const m, n = 3, 131
	dense := conform.Matrix{M: m, N: n, Data: make([]float64, m*n)}
	for e := range dense.Data {
		dense.Data[e] = rng.NormFloat64()
	}
	op, err := operator.NewIdentity(m, n)
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range map[string]gcg.Map{"products": dense, "rows": op.Adjoint(dense.Data)} {
		got := make([]float64, m*n+1)
		gcg.DenseTo(got, g)
		if !slices.Equal(got[:m*n], dense.Data) || got[m*n] != 0 {
			t.Errorf("%s: other entries", name)
		}
	}
}

func integers(rng *rand.Rand, rows, k int) *gcg.Factor {
	f := gcg.NewFactor(rows, k)
	for i := range rows {
		for c := range k {
			f.Row(i)[c] = float64(rng.IntN(9) - 4)
		}
	}
	return f
}

func columns(t *testing.T, name string, got, x *gcg.Factor, mul func(dst, x []float64)) {
	t.Helper()
	in, want := make([]float64, x.Rows), make([]float64, got.Rows)
	for c := range x.K {
		x.ColumnTo(in, c)
		mul(want, in)
		for i, w := range want {
			if got.Row(i)[c] != w {
				t.Errorf("%s, %d columns: entry (%d, %d) is %v, not %v", name, x.K, i, c, got.Row(i)[c], w)
			}
		}
	}
}
