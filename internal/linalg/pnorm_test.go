package linalg

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// The proximity operator of a squared norm is a minimum: no small move lowers what it minimises.
func TestShrinkSquareIsAMinimum(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 2))
	for _, p := range []float64{1, 2, math.Inf(1)} {
		for _, by := range []float64{0, 0.01, 0.5, 3, 1e3} {
			for _, n := range []int{1, 2, 7} {
				x := make([]float64, n)
				for i := range x {
					x[i] = rng.NormFloat64()
				}
				y := slices.Clone(x)
				norm := ShrinkSquare(y, by, p)
				value := func(z []float64) (f float64) {
					for i, v := range z {
						f += (v - x[i]) * (v - x[i]) / 2
					}
					return f + by/2*math.Pow(PNorm(z, p), 2)
				}
				if least := value(y); math.Abs(norm-PNorm(y, p)) > 1e-15 {
					t.Errorf("p = %v: the norm is %v, not %v", p, PNorm(y, p), norm)
				} else {
					for range 200 {
						z := slices.Clone(y)
						for i := range z {
							z[i] += 1e-3 * rng.NormFloat64()
						}
						if value(z) < least-1e-15 {
							t.Errorf("p = %v, t = %v: %v at %v, less than %v at %v", p, by, value(z), z, least, y)
							break
						}
					}
				}
			}
		}
	}
}
