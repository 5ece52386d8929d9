package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// What Solve returns solves the system that was factorized, at sizes on either side of a panel.
func TestSolveOfLower(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{1, 2, 63, 64, 65, 128, 200} {
		l, a := spd(rng, n, 1)
		want, x := make([]float64, n), make([]float64, n)
		for i := range want {
			want[i] = rng.NormFloat64()
		}
		for i := range x {
			for j, v := range want {
				x[i] += a.At(i, j) * v
			}
		}
		if !l.Cholesky() {
			t.Fatalf("%d: not positive definite", n)
		}
		l.Solve(x)
		for i, v := range x {
			if math.Abs(v-want[i]) > 1e-9 {
				t.Fatalf("n = %d: entry %d is %.17g, want %.17g", n, i, v, want[i])
			}
		}
	}
}
