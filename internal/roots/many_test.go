package roots

import (
	"math"
	"testing"
)

// Roots of functions that rise or fall, with a bend, a root at an end or a bracket of no width, are found to rounding.
func TestSearch(t *testing.T) {
	of := []func(x float64) float64{
		func(x float64) float64 { return x + math.Exp(x) },
		func(x float64) float64 { return -2*x - 5 },
		func(x float64) float64 { return x - 1 + 1e6*math.Max(-1e-3, math.Min(x, 1e-3)) }, // steep about 0
		func(x float64) float64 { return x - 4 },
		func(x float64) float64 { return x },
	}
	want := []float64{-0.5671432904097838, -2.5, 1 / (1 + 1e6), 4, 0}
	a, b := []float64{-3, 100, -10, 4, 0}, []float64{1, -7, 2000, 9, 0}
	Search(a, a, b, 1, func(fx, x []float64) {
		for i, f := range of {
			fx[i] = f(x[i])
		}
	})
	for i, x := range a {
		if math.Abs(x-want[i]) > 1e-14*(1+math.Abs(want[i])) {
			t.Errorf("the root of function %d is %v, want %v", i, x, want[i])
		}
	}
}
