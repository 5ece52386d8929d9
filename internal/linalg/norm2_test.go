package linalg

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"
)

func TestNorm2ByHand(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range [][5]float64{
		{0, 0, 0, 0, 0}, {3, 0, 0, -4, 4}, {1, 1, 1, 1, 2}, {3, 4, 0, 0, 5}, {1, -1, 1, 1, math.Sqrt2},
		{3e200, 4e200, 0, 0, 5e200}, {3e-200, 0, 4e-200, 0, 5e-200}, {math.MaxFloat64, 0, 0, 0, math.MaxFloat64},
		{inf, 0, 0, 0, inf}, {0, inf, 1, 2, inf}, {1, 2, 3, inf, inf},
	} {
		got := Norm2(c[0], c[1], c[2], c[3])
		if got != c[4] && !(math.Abs(got-c[4]) <= 1e-15*c[4]) {
			t.Errorf("‖[%g %g; %g %g]‖₂ = %.17g, want %.17g", c[0], c[1], c[2], c[3], got, c[4])
		}
	}
}

// Norm2 is the largest singular value.
func TestNorm2AgainstSVD(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(-1e3, 1e3), 4, 4).Draw(t, "x")
		var svd mat.SVD
		if !svd.Factorize(mat.NewDense(2, 2, x), mat.SVDNone) {
			t.Fatal("no singular values")
		}
		want := svd.Values(nil)[0] // mat.Norm(·, 2) is the Frobenius norm
		if got := Norm2(x[0], x[1], x[2], x[3]); math.Abs(got-want) > 1e-14*want {
			t.Fatalf("%.17g, the decomposition says %.17g", got, want)
		}
	})
}

// With close singular values nothing is lost: diag(1, 1-δ) has norm 1.
func TestNorm2OfCloseValues(t *testing.T) {
	for _, delta := range []float64{0, 1e-16, 1e-12, 1e-9, 3e-8, 1e-5} {
		if got := Norm2(1, 0, 0, 1-delta); math.Abs(got-1) > 2e-16 {
			t.Errorf("‖diag(1, 1-%g)‖₂ = %.17g", delta, got)
		}
	}
}

// A bound of a block matrix must not fall when one of its blocks' bounds rises: certificates rest on it.
func TestNorm2IsMonotone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.SliceOfN(rapid.Float64Range(0, 10), 4, 4).Draw(t, "x")
		low := Norm2(x[0], x[1], x[2], x[3])
		x[rapid.IntRange(0, 3).Draw(t, "which")] += rapid.Float64Range(0, 5).Draw(t, "more")
		if high := Norm2(x[0], x[1], x[2], x[3]); high < low*(1-4e-16) {
			t.Fatalf("fell from %.17g to %.17g", low, high)
		}
	})
}
