package kernel

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/yardstick"
)

// BenchmarkRatio measures the kernels of this processor in units of a yardstick, at k = 32, where factors are in the nearer
// caches: the row kernels go ten times over the pattern of BenchmarkRows64, ridge rows and dense products do as much work.
// docs/kernels.md has them at other sizes, beside their limits.
func BenchmarkRatio(b *testing.B) {
	pattern := near()
	b.Run("64", func(b *testing.B) { benchRatio[float64](b, pattern) })
	b.Run("32", func(b *testing.B) {
		benchRatio[float32](b, pattern)
		benchPackedRatio(b)
	})
}

const ratioColumns = 32

func benchRatio[T Real](b *testing.B, pattern *ratings) {
	const tall = 20_000
	d := newBenchData[T](pattern, ratioColumns)
	for _, bench := range rowBenches(d) {
		repeated(b, bench.name, 10, bench.run)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	a, x, c := make([]T, tall*200), make([]T, 200*200), make([]T, tall*200)
	for _, f := range [][]T{a, x} {
		for i := range f {
			f[i] = T(rng.Float64() - 0.5)
		}
	}
	repeated(b, "GemmNN", 3, func() { GemmNN(c, a, x, tall, 200, 200) })
	repeated(b, "GemmTN", 3, func() { GemmTN(x, a, c, 200, 200, tall) })
	repeated(b, "Gram", 3, func() { Gram(x, a, tall, 200) })
}

// benchPackedRatio has a row of 120 entries.
func benchPackedRatio(b *testing.B) {
	const k, n, rows = ratioColumns, 120, 20_000
	rng := rand.New(rand.NewPCG(1, 1))
	v, x, p := make([]float32, rows*k), make([]float32, n), make([]float32, PackedRoom(MostPacked, 1, n))
	for _, f := range [][]float32{v, x} {
		for i := range f {
			f[i] = rng.Float32() - 0.5
		}
	}
	cols, u, g, none, squares, ptr := make([]int32, n), make([]float32, k), make([]float32, k), make([]float32, k),
		make([]float32, 1), []int64{0, n}
	for e := range cols {
		cols[e] = int32(rng.IntN(rows))
	}
	repeated(b, "PackRows", 60_000, func() { PackRows(p, v, none, x, k, MostPacked, ptr, cols) })
	repeated(b, "PackedRows", 60_000, func() { // as for two steps
		PackedGradientRows(g, p, u, k, MostPacked, ptr)
		PackedCoreRows(g, p, u, k, MostPacked, ptr)
		PackedSquareRows(squares, p, u, k, MostPacked, ptr)
	})
}

// repeated measures n calls of f.
func repeated(b *testing.B, name string, n int, f func()) {
	b.Run(name, func(b *testing.B) {
		yardstick.Ratio(b, func() {
			for range n {
				f()
			}
		})
	})
}
