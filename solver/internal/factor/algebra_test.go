package factor_test

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// Transposes of any shape are what an entry at a time makes.
func TestTransposed(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, size := range [][2]int{{0, 3}, {1, 1}, {3, 0}, {7, 9}, {16, 8}, {30, 64}} {
		f := gcg.NewFactor(size[0], size[1])
		for i := range f.Rows {
			for c := range f.K {
				f.Row(i)[c] = rng.NormFloat64()
			}
		}
		g := factor.Transposed(f, f.Rows)
		if g.K != f.Rows || g.Rows != (f.K+7)&^7 {
			t.Fatalf("%v: the transpose is %d×%d", size, g.Rows, g.K)
		}
		for i := range g.Rows {
			for j, x := range g.Row(i) {
				var want float64
				if i < f.K && j < f.Rows {
					want = f.Row(j)[i]
				}
				if x != want {
					t.Fatalf("%v: entry %d, %d is %v, want %v", size, i, j, x, want)
				}
			}
		}
	}
}
