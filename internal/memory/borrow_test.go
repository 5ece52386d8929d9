package memory

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// A size class holds what asks for it, wastes less than a quarter, and is its own.
func TestSizeClass(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, math.MaxInt>>13).Draw(t, "n")
		size, pool := sizeClass[float64](n)
		if size < n || n > 8 && 4*(size-n) > n {
			t.Fatalf("%d numbers get %d", n, size)
		}
		if again, same := sizeClass[float64](size); again != size || same != pool {
			t.Fatalf("%d numbers get %d, and these %d", n, size, again)
		}
		if next, other := sizeClass[float64](size + 1); next <= size || other == pool {
			t.Fatalf("%d and %d numbers share a pool", size, next)
		}
		if _, other := sizeClass[float32](n); other == pool {
			t.Fatal("types share a pool")
		}
	})
}

// What is borrowed is as long as asked for, and nobody else's before it is repaid.
func TestBorrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var all [][]float32
		for i, n := range rapid.SliceOf(rapid.IntRange(0, 100)).Draw(t, "sizes") {
			x := Borrow[float32](n)
			if len(x) != n {
				t.Fatalf("%d numbers of %d", len(x), n)
			}
			for j := range x {
				x[j] = float32(i)
			}
			all = append(all, x)
		}
		for i, x := range all {
			for _, v := range x {
				if v != float32(i) {
					t.Fatalf("memory %d holds %v", i, v)
				}
			}
			Repay(x[:0])
		}
	})
}
