package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func testVectors[T real](t *testing.T, s surface[T]) {
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
		if got := s.dot(x, y); got != dot {
			t.Fatalf("Dot %s = %v, want %v", name, got, dot)
		}
		if got := s.sumSq(x); got != sumSq {
			t.Fatalf("SumSq %s = %v, want %v", name, got, sumSq)
		}
		s.axpy(3, x, y)
		equal(t, "Axpy "+name, y, axpy)
		s.scale(-5, x)
		equal(t, "Scale "+name, x, scale)
		check(t, name)
		check2(t, name)
	}
}

func TestVectors(t *testing.T) { each(t, testVectors[float64], testVectors[float32]) }

func testSparse[T real](t *testing.T, s surface[T]) {
	for n := range 20 {
		c := newRowCase[T](uint64(n), 8, n, 1)
		var want float64
		y := clone(c.v)
		for e, j := range c.cols {
			want += float64(c.x[e] * c.v[j])
			y[j] += 3 * c.x[e]
		}
		if got := s.dotSparse(c.v, c.cols, c.x); got != want {
			t.Fatalf("DotSparse n=%d = %v, want %v", n, got, want)
		}
		s.axpySparse(c.v, 3, c.cols, c.x)
		equal(t, "AxpySparse", c.v, y)
	}
}

func TestSparse(t *testing.T) { each(t, testSparse[float64], testSparse[float32]) }
