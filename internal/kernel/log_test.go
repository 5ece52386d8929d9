package kernel

import (
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// logCases are of every size, and many about 1, where logarithms are small.
func logCases(rng *rand.Rand) []float64 {
	x := []float64{1, 0.5, 2, math.Sqrt2, math.Sqrt2 / 2, math.Nextafter(1, 0), math.Nextafter(1, 2), 0x1p-1022, 1e-300, 1e300,
		1e-17, math.MaxFloat64}
	for range 2000 {
		x = append(x, rng.Float64(), math.Exp(40*rng.NormFloat64()), 1+rng.NormFloat64()/100)
	}
	return x
}

// Against package math; and of any length, with nothing written beyond.
func TestLogTo(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 7))
	x := logCases(rng)
	each(t, func(t *testing.T) {
		got := make([]float64, len(x)+1)[1:]
		LogTo(got, x)
		for i, a := range x {
			if want := math.Log(a); math.Abs(got[i]-want) > 4e-16*math.Abs(want) {
				t.Fatalf("log %v = %v, want %v", a, got[i], want)
			}
		}
		for n := range 40 {
			dst, check := guarded[float64](rng, n, n%3)
			LogTo(dst, x[50:50+n])
			equal(t, fmt.Sprintf("LogTo n=%d", n), dst, got[50:50+n])
			check(t, "LogTo")
			copy(dst, x[50:50+n])
			LogTo(dst, dst)
			equal(t, fmt.Sprintf("LogTo in place n=%d", n), dst, got[50:50+n])
		}
	}, nil)
	expectation(t)("LogTo", "slice dst has 1", func() { LogTo(make([]float64, 1), x[:2]) })
}

// Each number by itself, and sums of any length, of which what is not positive is no part.
func TestPositiveEntropy(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 8))
	x := logCases(rng)
	none := []float64{0, math.Copysign(0, -1), -1, -1e-300, -1e300, math.NaN(), math.Inf(-1)}
	each(t, func(t *testing.T) {
		for _, a := range x {
			sum, entropy := PositiveEntropy([]float64{a}, 1)
			want := a * math.Log(a)
			if sum != a || math.Abs(entropy-want) > 4e-16*math.Abs(want) {
				t.Fatalf("of %v: %v and %v, want %v", a, sum, entropy, want)
			}
		}
		for n := range 40 {
			for _, length := range []int{n, n + block} {
				part, check := guarded[float64](rng, length, n%3)
				var sum, entropy big.Float
				for i := range part {
					part[i] = -rng.Float64()
					if i%5 == 4 {
						part[i] = none[i%len(none)] * -1
					}
					if p := part[i] * -4; p > 0 {
						sum.Add(&sum, big.NewFloat(p))
						entropy.Add(&entropy, big.NewFloat(p*math.Log(p)))
					}
				}
				name := fmt.Sprintf("PositiveEntropy n=%d", length)
				s, e := PositiveEntropy(part, -4)
				check(t, name)
				wantSum, _ := sum.Float64()
				wantEntropy, _ := entropy.Float64()
				if tol := 1e-16 * float64(length+20) * wantSum; math.Abs(s-wantSum) > tol || math.Abs(e-wantEntropy) > tol {
					t.Fatalf("%s: %v and %v, want %v and %v", name, s, e, wantSum, wantEntropy)
				}
			}
		}
		if sum, entropy := PositiveEntropy(none, 1); sum != 0 || entropy != 0 {
			t.Errorf("of nothing positive: %v and %v", sum, entropy)
		}
		if sum, entropy := PositiveEntropy([]float64{5e-324}, 1); sum != 5e-324 || math.Abs(entropy) > 1e-300 {
			t.Errorf("of the least number: %v and %v", sum, entropy)
		}
		if sum, entropy := PositiveEntropy([]float64{math.Inf(1)}, 1); !math.IsInf(sum, 1) || !math.IsInf(entropy, 1) {
			t.Errorf("of +Inf: %v and %v", sum, entropy)
		}
	}, nil)
}
