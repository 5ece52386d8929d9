package kernel

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// expCases mixes ordinary arguments, both ends of the range, subnormal results, and the special values.
func expCases() []float64 {
	rng := rand.New(rand.NewPCG(4, 4))
	x := []float64{0, math.Copysign(0, -1), 1, -1, 1e-300, -1e-300, 5e-324, math.Inf(1), math.Inf(-1), math.NaN(),
		709.78, 709.782712893384, 709.7827128933841, 710, 1e10, 1e308,
		-708.3, -708.4, -709, -744.4, -745.13, -745.1332191019411, -745.1332191019412, -745.2, -746, -800, -1e10, -1e308,
		math.Ln2 / 2, -math.Ln2 / 2, math.Nextafter(math.Ln2/2, 1), 0.5, 1023 * math.Ln2, -1022 * math.Ln2}
	for range 3000 {
		x = append(x, 1500*rng.Float64()-760, 2*rng.Float64()-1, rng.NormFloat64()*20, -700-50*rng.Float64())
	}
	return x
}

// ulps is the distance of a and b in representable numbers, for results of exp.
func ulps(a, b float64) uint64 {
	if a == b || (math.IsNaN(a) && math.IsNaN(b)) {
		return 0
	}
	if math.IsNaN(a) || math.IsNaN(b) || a < 0 || b < 0 {
		return math.MaxUint64
	}
	p, q := math.Float64bits(a), math.Float64bits(b)
	return max(p, q) - min(p, q)
}

// bigExp is the naive twin: reduction and series with 200 bits, rounded once.
func bigExp(x float64) float64 {
	switch {
	case math.IsNaN(x), x > 800:
		return x + math.Inf(1)
	case x < -800:
		return 0
	}
	const ln2 = "0.693147180559945309417232121458176568075500134360255254120680009493393621969694715605863326996418687"
	number := func() *big.Float { return new(big.Float).SetPrec(200) }
	r, _ := number().SetString(ln2)
	n := int(math.Round(x / math.Ln2))
	r.Sub(number().SetFloat64(x), r.Mul(r, number().SetInt64(int64(n))))
	sum, term := number().SetInt64(1), number().SetInt64(1)
	for d := int64(1); d < 40; d++ {
		term.Quo(term.Mul(term, r), number().SetInt64(d))
		sum.Add(sum, term)
	}
	y, _ := sum.SetMantExp(sum, n).Float64()
	return y
}

func TestExp(t *testing.T) {
	x := expCases()
	exact := make([]float64, len(x))
	for i := range x {
		exact[i] = bigExp(x[i])
	}
	each(t, func(t *testing.T, _ surface[float64]) {
		got := make([]float64, len(x)+1)[1:]
		ExpTo(got, x)
		for i := range x {
			if d := ulps(got[i], exact[i]); d > 2 {
				t.Fatalf("exp(%v) = %v, want %v: %d units apart", x[i], got[i], exact[i], d)
			}
		}
		for n := range 40 {
			part := append(append([]float64(nil), x[50:50+n]...), 777)
			ExpTo(part, part[:n])
			equal(t, "part", part[:n], got[50:50+n])
			if part[n] != 777 {
				t.Fatalf("ExpTo of %d elements wrote one more", n)
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	each(t, func(t *testing.T, _ surface[float64]) {
		rng := rand.New(rand.NewPCG(6, 6))
		for n := 1; n < 70; n++ {
			x, dst := make([]float64, n), make([]float64, n+1)
			shift := []float64{0, 1e4, -1e4}[n%3]
			for i := range x {
				x[i] = shift + 30*rng.NormFloat64()
			}
			if n > 4 {
				x[n/2] = math.Inf(-1)
			}
			dst[n] = 777
			lse := SoftmaxTo(dst, x)
			top, sum := math.Inf(-1), 0.0
			for _, a := range x {
				top = max(top, a)
			}
			for _, a := range x {
				sum += math.Exp(a - top)
			}
			if want := top + math.Log(sum); math.Abs(lse-want) > 1e-14*math.Abs(want)+1e-14 {
				t.Fatalf("n=%d: logsumexp %v, want %v", n, lse, want)
			}
			for i, a := range x {
				if want := math.Exp(a-top) / sum; math.Abs(dst[i]-want) > 4e-15*want+1e-320 {
					t.Fatalf("n=%d: softmax[%d] = %v, want %v", n, i, dst[i], want)
				}
			}
			if dst[n] != 777 {
				t.Fatalf("SoftmaxTo of %d elements wrote one more", n)
			}
		}
		dst := []float64{1, 1}
		if got := SoftmaxTo(dst, []float64{math.Inf(-1), math.Inf(-1)}); !math.IsInf(got, -1) || dst[0] != 0 || dst[1] != 0 {
			t.Fatalf("softmax of -Inf: %v, %v", got, dst)
		}
		if got := SoftmaxTo(nil, nil); !math.IsInf(got, -1) {
			t.Fatalf("softmax of nothing: %v", got)
		}
		for _, x := range [][]float64{{1, math.NaN()}, {math.NaN(), 1}, {math.NaN(), math.Inf(-1)}, {math.NaN(), math.NaN()}} {
			if got := SoftmaxTo(dst, x); !math.IsNaN(got) || !math.IsNaN(dst[0]) || !math.IsNaN(dst[1]) {
				t.Fatalf("softmax of %v returned %v, %v", x, got, dst)
			}
		}
	})
}
