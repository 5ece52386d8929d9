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
func ulps[T real](a, b T) uint64 {
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

func testExp[T real](t *testing.T, s surface[T]) {
	var x, exact []T
	for _, a := range expCases() {
		x = append(x, T(a))
		exact = append(exact, T(bigExp(float64(T(a)))))
	}
	got := make([]T, len(x)+1)[1:]
	s.expTo(got, x)
	for i := range x {
		if d := ulps(got[i], exact[i]); d > 2 {
			t.Fatalf("exp(%v) = %v, want %v: %d units apart", x[i], got[i], exact[i], d)
		}
	}
	for n := range 40 {
		part := append(append([]T(nil), x[50:50+n]...), 777)
		s.expTo(part, part[:n])
		equal(t, "part", part[:n], got[50:50+n])
		if part[n] != 777 {
			t.Fatalf("ExpTo of %d elements wrote one more", n)
		}
	}
}

func TestExp(t *testing.T) { each(t, testExp[float64], testExp[float32]) }

func testSoftmax[T real](t *testing.T, s surface[T]) {
	rng := rand.New(rand.NewPCG(6, 6))
	eps := float64(epsilon[T]())
	for n := 1; n < 70; n++ {
		x, dst := make([]T, n), make([]T, n+1)
		shift := []float64{0, 1e4, -1e4}[n%3]
		for i := range x {
			x[i] = T(shift + 30*rng.NormFloat64())
		}
		if n > 4 {
			x[n/2] = T(math.Inf(-1))
		}
		dst[n] = 777
		lse := s.softmaxTo(dst, x)
		top, sum := math.Inf(-1), 0.0
		for _, a := range x {
			top = max(top, float64(a))
		}
		for _, a := range x {
			sum += math.Exp(float64(a) - top)
		}
		if want := top + math.Log(sum); math.Abs(lse-want) > 50*eps*(math.Abs(want)+1) {
			t.Fatalf("n=%d: logsumexp %v, want %v", n, lse, want)
		}
		for i, a := range x {
			if want := math.Exp(float64(a)-top) / sum; math.Abs(float64(dst[i])-want) > (20+math.Abs(float64(a)-top))*eps*want+1e-44 { // a - top is rounded
				t.Fatalf("n=%d: softmax[%d] = %v, want %v", n, i, dst[i], want)
			}
		}
		if dst[n] != 777 {
			t.Fatalf("SoftmaxTo of %d elements wrote one more", n)
		}
	}
}

func TestSoftmax(t *testing.T) { each(t, testSoftmax[float64], testSoftmax[float32]) }

func testSoftmaxSpecial[T real](t *testing.T, s surface[T]) {
	dst, none, nan := []T{1, 1}, T(math.Inf(-1)), T(math.NaN())
	if got := s.softmaxTo(dst, []T{none, none}); !math.IsInf(got, -1) || dst[0] != 0 || dst[1] != 0 {
		t.Fatalf("softmax of -Inf: %v, %v", got, dst)
	}
	if got := s.softmaxTo(nil, nil); !math.IsInf(got, -1) {
		t.Fatalf("softmax of nothing: %v", got)
	}
	for _, x := range [][]T{{1, nan}, {nan, 1}, {nan, none}, {nan, nan}} {
		if got := s.softmaxTo(dst, x); got == got || dst[0] == dst[0] || dst[1] == dst[1] {
			t.Fatalf("softmax of %v returned %v, %v", x, got, dst)
		}
	}
	if got := s.softmaxTo(dst, []T{none, 3}); got != 3 || dst[0] != 0 || dst[1] != 1 {
		t.Fatalf("softmax of -Inf and 3: %v, %v", got, dst)
	}
}

func TestSoftmaxSpecial(t *testing.T) {
	each(t, testSoftmaxSpecial[float64], testSoftmaxSpecial[float32])
}

// Shifted exponentials are those of differences, and the largest element is found wherever it is.
func TestShiftAndMax(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	for _, n := range []int{0, 1, 7, 8, 33, block - 1, block, block + 5, 2*block + 1} {
		x, minus, want, got := make([]float64, n), make([]float64, n), make([]float64, n), make([]float64, n)
		top := math.Inf(-1)
		for i := range x {
			x[i] = rng.NormFloat64()
			minus[i] = x[i] - 0.5
			top = max(top, x[i])
		}
		if m := MaxOf(x); m != top {
			t.Errorf("the largest of %d is %v, want %v", n, m, top)
		}
		ExpTo(want, minus)
		sum := ExpShiftTo(got, x, 0.5)
		for i := range got {
			sum -= got[i]
			if got[i] != want[i] {
				t.Fatalf("%d elements: exp(%v - 0.5) is %v, want %v", n, x[i], got[i], want[i])
			}
		}
		if math.Abs(sum) > 1e-12*float64(n) {
			t.Fatalf("the sum of %d elements is off by %v", n, sum)
		}
	}
}
