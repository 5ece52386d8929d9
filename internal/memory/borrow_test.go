package memory

import (
	"math"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"pgregory.net/rapid"
)

// A size class holds what asks for it, wastes less than a quarter, and is its own.
func TestSizeClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, math.MaxInt>>13).Draw(t, "n")
		class, size := sizeClass(n)
		if size < n || n > 8 && 4*(size-n) > n {
			t.Fatalf("%d numbers get %d", n, size)
		}
		if same, again := sizeClass(size); again != size || same != class {
			t.Fatalf("%d numbers get %d, and these %d", n, size, again)
		}
		if other, next := sizeClass(size + 1); next <= size || other == class {
			t.Fatalf("%d and %d numbers share a class", size, next)
		}
	})
}

// What is borrowed is as long as asked for, and nobody else's before it is repaid, in either type.
func TestBorrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		narrow, wide := rapid.SliceOf(rapid.IntRange(0, 100)).Draw(t, "narrow"), rapid.SliceOf(rapid.IntRange(0, 100)).Draw(t, "wide")
		repay := borrowed[float32](t, narrow, 0)
		borrowed[float64](t, wide, 1000)()
		repay()
	})
}

// borrowed writes a number of its own to each memory, from one on; repay looks whether they are still there.
func borrowed[T kernel.Real](t *rapid.T, sizes []int, from T) (repay func()) {
	var all [][]T
	for i, n := range sizes {
		y := Borrow[T](n)
		if len(y) != n {
			t.Fatalf("%d numbers of %d", len(y), n)
		}
		for j := range y {
			y[j] = from + T(i)
		}
		all = append(all, y)
	}
	return func() {
		for i, y := range all {
			if slices.ContainsFunc(y, func(v T) bool { return v != from+T(i) }) {
				t.Fatalf("memory %d holds %v, not %v", i, y, from+T(i))
			}
			Repay(y[:0])
		}
	}
}

// Zeros are zeros though memory was used before.
func TestZeros(t *testing.T) {
	for _, n := range []int{0, 10, 1000, leastBytes, listedUpTo / 4, mostBytes / 8, mostBytes} {
		for range 3 {
			x := Zeros[float64](n)
			for i, v := range x {
				if v != 0 {
					t.Fatalf("number %d of %d is %v", i, n, v)
				}
				x[i] = 1
			}
			if y := Room[float64](n); len(y) != n {
				t.Fatalf("room for %d numbers of %d", len(y), n)
			}
			Repay(x)
		}
	}
}

// What is repaid is what is borrowed next; what nobody wants from one tidying to the next is dropped, and so is what there is no
// room for.
func TestFreeList(t *testing.T) {
	var s freeList
	before := listedBytes.Load()
	a, b := make([]float64, 1000), make([]float64, 1000)
	s.put(a)
	s.put(b)
	s.tidy()
	if x, ok := s.take(); !ok || &x[0] != &b[0] {
		t.Error("the last that was put is not the first to be taken")
	}
	s.put(b)
	s.tidy()
	if len(s.free) != 1 || listedBytes.Load() != before+8000 {
		t.Errorf("%d are kept, %d bytes", len(s.free), listedBytes.Load()-before)
	}
	s.tidy()
	if _, ok := s.take(); ok || listedBytes.Load() != before {
		t.Errorf("%d are kept, %d bytes", len(s.free), listedBytes.Load()-before)
	}
	if s.put(make([]float64, mostListed/8+1)) || len(s.free) != 0 || listedBytes.Load() != before {
		t.Error("a free list keeps more than it may")
	}
}
