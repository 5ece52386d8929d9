package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// The dense products on one core: tall factors times small matrices, as in compressing a factorisation, and square ones.
func benchGemm[T Real](b *testing.B) {
	defer func(old *implementation) { active = old }(active)
	for _, d := range [][3]int{{70000, 16, 16}, {70000, 64, 64}, {20000, 200, 200}, {512, 512, 512}, {1500, 1500, 1500}} {
		m, n, k := d[0], d[1], d[2]
		rng := rand.New(rand.NewPCG(1, 1))
		tall, small, out := make([]T, m*k), make([]T, k*n), make([]T, m*n)
		for i := range tall {
			tall[i] = T(rng.Float64())
		}
		for i := range small {
			small[i] = T(rng.Float64())
		}
		for _, bench := range []struct {
			name string
			call func()
		}{
			{"GemmNN", func() { GemmNN(out, tall, small, m, n, k) }},
			{"GemmNT", func() { GemmNT(out, tall, small, m, n, k) }},
			{"GemmTN", func() { GemmTN(small, tall, out, k, n, m) }},
		} {
			for _, active = range implementations() {
				b.Run(fmt.Sprintf("%s/%dx%dx%d/%s", bench.name, m, n, k, active.name), func(b *testing.B) {
					for b.Loop() {
						bench.call()
					}
					b.ReportMetric(2*float64(m)*float64(n)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
				})
			}
		}
		for _, active = range implementations() {
			b.Run(fmt.Sprintf("Gram/%dx%d/%s", m, k, active.name), func(b *testing.B) {
				g := make([]T, k*k)
				for b.Loop() {
					Gram(g, tall, m, k)
				}
				b.ReportMetric(float64(m)*float64(k)*float64(k)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GF/s")
			})
		}
	}
}

func BenchmarkGemm64(b *testing.B) { benchGemm[float64](b) }

func BenchmarkGemm32(b *testing.B) { benchGemm[float32](b) }
