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
func ulps[T Real](a, b T) uint64 {
	if a == b || (a != a && b != b) {
		return 0
	}
	if a != a || b != b || a < 0 || b < 0 {
		return math.MaxUint64
	}
	bits := func(x T) uint64 { return math.Float64bits(float64(x)) }
	if _, narrow := any(a).(float32); narrow {
		bits = func(x T) uint64 { return uint64(math.Float32bits(float32(x))) }
	}
	p, q := bits(a), bits(b)
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

func testExp[T Real](t *testing.T) {
	var x, exact []T
	for _, a := range expCases() {
		x = append(x, T(a))
		exact = append(exact, T(bigExp(float64(T(a)))))
	}
	got := make([]T, len(x)+1)[1:]
	ExpTo(got, x)
	for i := range x {
		if d := ulps(got[i], exact[i]); d > 2 {
			t.Fatalf("exp(%v) = %v, want %v: %d units apart", x[i], got[i], exact[i], d)
		}
	}
	for n := range 40 {
		part := append(append([]T(nil), x[50:50+n]...), 777)
		ExpTo(part, part[:n])
		equal(t, "part", part[:n], got[50:50+n])
		if part[n] != 777 {
			t.Fatalf("ExpTo of %d elements wrote one more", n)
		}
	}
}

func TestExp(t *testing.T) { each(t, testExp[float64], testExp[float32]) }

// What a softmax is made of: exponentials of differences are those of their arguments, they come with their sum, and nothing else
// is written.
func testExpShift[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 33, 69, block - 1, block, block + 5, 2*block + 1} {
		x, minus, want, got := make([]T, n), make([]T, n), make([]T, n), make([]T, n+1)
		shift := []T{0.5, 1e4, -1e4}[n%3]
		for i := range x {
			x[i] = shift + T(20*rng.NormFloat64())
			minus[i] = x[i] - shift
		}
		if n > 4 {
			x[n/2], minus[n/2] = T(math.Inf(-1)), T(math.Inf(-1))
		}
		got[n] = 777
		ExpTo(want, minus)
		sum, exact := ExpShiftTo(got[:n], x, shift), 0.0
		for i, a := range x {
			exact += float64(want[i])
			if got[i] != want[i] {
				t.Fatalf("%d elements: exp(%v - %v) is %v, want %v", n, a, shift, got[i], want[i])
			}
		}
		if eps := float64(epsilon[T]()); math.Abs(sum-exact) > 4*eps*math.Sqrt(float64(n+1))*exact {
			t.Fatalf("the sum of %d elements is %v, want %v", n, sum, exact)
		}
		if got[n] != 777 {
			t.Fatalf("ExpShiftTo of %d elements wrote one more", n)
		}
	}
	if sum := ExpShiftTo(make([]T, 2), []T{1, T(math.NaN())}, 1); sum == sum {
		t.Fatalf("the sum with NaN is %v", sum)
	}
}

func TestExpShift(t *testing.T) { each(t, testExpShift[float64], testExpShift[float32]) }
