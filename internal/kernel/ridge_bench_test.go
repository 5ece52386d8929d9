package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Rows of typical length are packed, and take two steps.
func benchRidge[T Real](b *testing.B, all []*kernels[T], active **kernels[T], s surface[T]) {
	defer func(old *kernels[T]) { *active = old }(*active)
	const steps = 2
	for _, k := range []int{16, 32, 64, 128} {
		for _, size := range [][2]int{{4000, 32}, {4000, 120}, {70000, 120}} { // rows of v in the nearer caches, and not
			rows, n := size[0], size[1]
			rng := rand.New(rand.NewPCG(1, 1))
			padded := RidgeEntries(n)
			v, p, x := make([]T, rows*k), make([]T, padded*k), make([]T, padded)
			for _, s := range [][]T{v, p, x} { // of zeros one step would be enough
				for i := range s {
					s[i] = T(rng.NormFloat64())
				}
			}
			cols := make([]int32, 3000*n)
			for e := range cols {
				cols[e] = int32(rng.IntN(rows))
			}
			u, mean, work := make([]T, k), make([]T, k), make([]T, RidgeWork*k)
			none := make([]T, k)
			for _, impl := range all {
				*active = impl
				perEntry := func(b *testing.B) {
					b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N*n), "ns/entry")
				}
				at := 0
				b.Run(fmt.Sprintf("Pack/k=%d/n=%d/of=%d/%s", k, n, rows, impl.name), func(b *testing.B) {
					for b.Loop() {
						s.packRow(p, v, none, k, k, cols[at:at+n])
						at = (at + n) % len(cols)
					}
					perEntry(b)
				})
				b.Run(fmt.Sprintf("Ridge/k=%d/n=%d/of=%d/%s", k, n, rows, impl.name), func(b *testing.B) {
					for b.Loop() {
						clear(u)
						s.ridgeRow(u, p, x, mean, work, k, 0, 1, 0, steps)
					}
					perEntry(b)
				})
			}
		}
	}
}

func BenchmarkRidge64(b *testing.B) { benchRidge(b, implementations64(), &active64, surface64) }

func BenchmarkRidge32(b *testing.B) { benchRidge(b, implementations32(), &active32, surface32) }
