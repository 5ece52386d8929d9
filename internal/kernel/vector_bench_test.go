package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The vector kernels on one core: 4096 elements, in the level-1 and level-2 caches, and 4 million, in memory;
// exponentials of rows of 10, as with classes, too.
func benchVectors[T Real](b *testing.B) {
	defer func(old *implementation) { active = old }(active)
	rng := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{4096, 4 << 20} {
		x, y, z := make([]T, n), make([]T, n), make([]T, n)
		for i := range x {
			x[i], y[i] = T(10*(rng.Float64()-0.5)), T(rng.Float64())
		}
		for _, bench := range []struct {
			name string
			call func()
		}{
			{"Dot", func() { Dot(x, y) }},
			{"Axpy", func() { Axpy(1e-9, x, y) }},
			{"Hadamard", func() { Hadamard(z, x, y) }},
			{"Scale", func() { Scale(-1, y) }},
			{"ExpTo", func() { ExpTo(y, x) }},
			{"ExpShiftTo/rows=10", func() {
				for lo := 0; lo+10 <= n; lo += 10 {
					ExpShiftTo(y[lo:lo+10], x[lo:lo+10], 1)
				}
			}},
		} {
			for _, active = range implementations() {
				b.Run(fmt.Sprintf("%s/n=%d/%s", bench.name, n, active.name), func(b *testing.B) {
					for b.Loop() {
						bench.call()
					}
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(n), "ns/element")
				})
			}
		}
	}
}

func BenchmarkVector64(b *testing.B) { benchVectors[float64](b) }

func BenchmarkVector32(b *testing.B) { benchVectors[float32](b) }
