package kernel

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

func testVectors[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	sizes := []int{block - 1, block, block + 1, 2*block + 77}
	for n := range 140 {
		sizes = append(sizes, n)
	}
	for _, n := range sizes {
		x, check := guarded[T](rng, n, n%3)
		y, check2 := guarded[T](rng, n, n%2)
		var dot, sumSq float64
		axpy, scale := clone(y), clone(x)
		for i := range x {
			dot += float64(x[i] * y[i])
			sumSq += float64(x[i] * x[i])
			axpy[i] += 3 * x[i]
			scale[i] *= -5
		}
		name := fmt.Sprintf("n=%d", n)
		if got := Dot(x, y); got != dot {
			t.Fatalf("Dot %s = %v, want %v", name, got, dot)
		}
		if got := SumSq(x); got != sumSq {
			t.Fatalf("SumSq %s = %v, want %v", name, got, sumSq)
		}
		Axpy(3, x, y)
		equal(t, "Axpy "+name, y, axpy)
		Scale(-5, x)
		equal(t, "Scale "+name, x, scale)
		z, check3 := guarded[T](rng, n, n%2)
		product := clone(x)
		for i := range x {
			product[i] *= y[i]
		}
		Hadamard(z, x, y)
		equal(t, "Hadamard "+name, z, product)
		Hadamard(y, x, y)
		equal(t, "Hadamard in place "+name, y, product)
		check(t, name)
		check2(t, name)
		check3(t, name)
	}
}

func TestVectors(t *testing.T) { each(t, testVectors[float64], testVectors[float32]) }

// Clamp cuts at a and -a, infinities too, and leaves NaN; Apart sums sizes of differences, of which one that is NaN shows.
func testSizes(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 11))
	for _, n := range []int{0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 77, block - 1, block, block + 1, 2*block + 77} {
		x, check := guarded[float64](rng, n, n%3)
		y, check2 := guarded[float64](rng, n, n%2)
		var apart float64
		cut := clone(x)
		for i := range x {
			apart += math.Abs(x[i] - y[i])
			cut[i] = math.Max(-3, math.Min(3, x[i]))
		}
		name := fmt.Sprintf("n=%d", n)
		if got := Apart(x, y); got != apart {
			t.Fatalf("Apart %s = %v, want %v", name, got, apart)
		}
		Clamp(3, x)
		equal(t, "Clamp "+name, x, cut)
		check(t, name)
		check2(t, name)
		for i := range n {
			x[i] = math.NaN()
			if got := Apart(x, y); !math.IsNaN(got) {
				t.Fatalf("Apart %s is %v where number %d is NaN", name, got, i)
			}
			if Clamp(3, x); !math.IsNaN(x[i]) {
				t.Fatalf("Clamp %s makes %v of NaN, number %d", name, x[i], i)
			}
			x[i] = math.Inf(1 - 2*(i%2))
			if Clamp(3, x); x[i] != float64(3-6*(i%2)) {
				t.Fatalf("Clamp %s makes %v of an infinity, number %d", name, x[i], i)
			}
			if i == 100 {
				break
			}
		}
	}
}

func TestSizes(t *testing.T) { each(t, testSizes, nil) }

// Rows are added as one at a time, also where some are skipped, and what is beyond y is left alone.
func testAxpyRows[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, n := range []int{0, 1, 3, 4, 7, 8, 16, 31, 64, 77, block/4 - 1, block/4 + 13, block + 1} {
		for rows := range 11 {
			a, x := make([]T, rows), make([]T, rows*n)
			for i := range x {
				x[i] = T(rng.IntN(9) - 4)
			}
			y, check := guarded[T](rng, n, n%3)
			want := clone(y)
			for i := range a {
				a[i] = T(rng.IntN(5) - 2) // sometimes 0
				naiveAxpy(a[i], x[i*n:(i+1)*n], want)
				if a[i] == 0 && n > 0 {
					x[i*n] = T(math.NaN()) // which is not read
				}
			}
			name := fmt.Sprintf("AxpyRows n=%d rows=%d", n, rows)
			AxpyRows(a, x, y)
			equal(t, name, y, want)
			check(t, name)
		}
	}
}

func TestAxpyRows(t *testing.T) { each(t, testAxpyRows[float64], testAxpyRows[float32]) }

// Conversions agree with Go's, what does not fit and NaN too, and leave what is beyond alone.
func testConvert(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	for _, n := range []int{0, 1, 3, 4, 7, 8, 9, 31, 40, block - 1, block + 13} {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64() * math.Pow(10, float64(rng.IntN(90)-45))
		}
		if n > 2 {
			x[0], x[1], x[2] = math.NaN(), math.Inf(-1), -1e300
		}
		narrow, check := guarded[float32](rng, n, n%3)
		Convert(narrow, x)
		wide, check2 := guarded[float64](rng, n, n%2)
		Convert(wide, narrow)
		for i, a := range x {
			if b := float32(a); math.Float32bits(narrow[i]) != math.Float32bits(b) ||
				math.Float64bits(wide[i]) != math.Float64bits(float64(b)) {
				t.Fatalf("%v of %d became %v and %v", a, n, narrow[i], wide[i])
			}
		}
		same, check3 := guarded[float32](rng, n, n%2)
		Convert(same, narrow)
		equalBits(t, same, narrow)
		check3(t, "same")
		check(t, "narrow")
		check2(t, "wide")
	}
}

func equalBits(t *testing.T, got, want []float32) {
	t.Helper()
	for i, x := range want {
		if math.Float32bits(got[i]) != math.Float32bits(x) {
			t.Fatalf("%v became %v", x, got[i])
		}
	}
}

func TestConvert(t *testing.T) { each(t, testConvert, testConvert) }

func testSparse[T Real](t *testing.T) {
	for n := range 20 {
		c := newRowCase[T](uint64(n), 8, n, 1)
		var want float64
		y := clone(c.v)
		for e, j := range c.cols {
			want += float64(c.x[e] * c.v[j])
			y[j] += 3 * c.x[e]
		}
		if got := DotSparse(c.v, c.cols, c.x); got != want {
			t.Fatalf("DotSparse n=%d = %v, want %v", n, got, want)
		}
		AxpySparse(c.v, 3, c.cols, c.x)
		equal(t, "AxpySparse", c.v, y)
	}
}

func TestSparse(t *testing.T) { each(t, testSparse[float64], testSparse[float32]) }

// The largest element is found wherever it is; -Inf of none.
func testMax[T Real](t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 9))
	none, nan := T(math.Inf(-1)), T(math.NaN())
	for _, n := range []int{0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 33, 64, 69, block - 1, block, block + 5, 2*block + 1} {
		x := make([]T, n+1)
		for i := range x {
			x[i] = -1 - T(rng.Float64())
		}
		x[n] = 1 // which is not asked for
		if got := Max(x[:n]); n == 0 && got != none {
			t.Fatalf("the largest of none is %v", got)
		}
		for range min(n, 20) {
			at := rng.IntN(n)
			x[at] += 1
			if got := Max(x[:n]); got != x[at] {
				t.Fatalf("the largest of %d is %v, want %v at %d", n, got, x[at], at)
			}
			x[at] = -2
		}
	}
	for _, x := range [][]T{{1, nan}, {nan, 1}, {none, 1, none}} {
		if got := Max(x); got == got && got != 1 {
			t.Fatalf("the largest of %v is %v", x, got)
		}
	}
	if got := Max([]T{none, none}); got != none {
		t.Fatalf("the largest of -Inf is %v", got)
	}
}

func TestMax(t *testing.T) { each(t, testMax[float64], testMax[float32]) }
