package gauge

import (
	"context"
	"testing"

	"github.com/seed-b18ef778/gcg/conform"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// What rounding could hide of GᵀG and of its factorization is above the largest value of a proof, however near that the proof may
// begin and end.
func TestProofsLeaveRoomForRounding(t *testing.T) {
	const n = 60
	s := make([]float64, n)
	var trace float64
	for i := range s {
		s[i] = 1 - 1e-13*float64(i)
		trace += s[i] * s[i]
	}
	bound, err := provenBound(context.Background(), diagonal(s), s[0], 1e-14)
	if err != nil {
		t.Fatal(err)
	}
	if room := (2*n + 2) * linalg.Epsilon * trace; bound*bound-1 < room || bound > 1+1e-10 {
		t.Errorf("the bound is %.3g above σ₁ = 1, its square must be %.3g above", bound-1, room)
	}
	turned := diagonal(s) // (I-2vvᵀ) diag(±s) (I-2vvᵀ) for v = 1/√n, whose rows have large sums
	sign := func(i int) float64 { return s[i] * float64(1-i%2*2) }
	for i := range n {
		for j := range n {
			turned.Data[i*n+j] -= 2.0 / n * (sign(i) + sign(j))
			if i == j {
				turned.Data[i*n+j] += sign(i) - s[i]
			}
			for l := range n {
				turned.Data[i*n+j] += 4.0 / (n * n) * sign(l)
			}
		}
	}
	bound, err = provenEigenvalue(context.Background(), turned, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if room := (n + 2) * linalg.Epsilon * trace; bound-1 < room || bound > 1+1e-10 {
		t.Errorf("the bound is %.3g above λ₁ = 1, it must be %.3g", bound-1, room)
	}
}

// diagonal is diag(s), with its zeros.
func diagonal(s []float64) conform.Matrix {
	g := conform.Matrix{M: len(s), N: len(s), Data: make([]float64, len(s)*len(s))}
	for i, x := range s {
		g.Data[i*len(s)+i] = x
	}
	return g
}
