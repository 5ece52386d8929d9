package linalg

import (
	"math"
	"math/rand/v2"
	"testing"
)

// An entry of some width is so many equal entries.
func TestTautStringOfWidths(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		n := 1 + rng.IntN(12)
		y, width, all := make([]float64, n), make([]float64, n), []float64{}
		for i := range y {
			y[i], width[i] = rng.NormFloat64(), float64(1+rng.IntN(4))
			for range int(width[i]) {
				all = append(all, y[i])
			}
		}
		c := 2 * rng.Float64()
		slopes := func(y, width []float64) []float64 {
			x := make([]float64, len(y))
			TautString(y, width, c, func(from, to int, slope, _, _ float64) {
				for i := from; i < to; i++ {
					x[i] = slope
				}
			})
			return x
		}
		got, want, at := slopes(y, width), slopes(all, nil), 0
		for i, x := range got {
			for range int(width[i]) {
				if math.Abs(x-want[at]) > 1e-12 {
					t.Fatalf("y %v of width %v, c = %v: %v, and entry by entry %v", y, width, c, got, want)
				}
				at++
			}
		}
	}
}
