package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// 2n² flops and 8n² bytes, of which up to n = 500 or so stay in the cache.
func BenchmarkSolve(b *testing.B) {
	for _, n := range []int{30, 240, 1000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l, _ := spd(rand.New(rand.NewPCG(1, 1)), n, float64(n))
			if !l.Cholesky() {
				b.Fatal("not positive definite")
			}
			x := make([]float64, n)
			for i := range x {
				x[i] = 1
			}
			b.SetBytes(int64(8 * n * n))
			for b.Loop() {
				l.Solve(x)
				x[0] = 1
			}
		})
	}
}
