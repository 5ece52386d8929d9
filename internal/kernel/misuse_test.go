package kernel

import (
	"fmt"
	"strings"
	"testing"
)

// expectation is a check that f panics with a word.
func expectation(t *testing.T) func(what, word string, f func()) {
	return func(what, word string, f func()) {
		t.Helper()
		defer func() {
			t.Helper()
			if got := fmt.Sprint(recover()); !strings.Contains(got, word) {
				t.Errorf("%s: panic %q, want one about %q", what, got, word)
			}
		}()
		f()
	}
}

// Misuse panics with a word about what is wrong, and writes nothing outside the slices.
func testMisuse[T Real](t *testing.T) {
	expect := expectation(t)
	for _, kernel := range rowKernels[T]() {
		for _, n := range []int{1, 3, 4, 8, 21} {
			fresh := func() *rowCase[T] { return newRowCase[T](3, 16, n, 1) }
			for _, bad := range []int32{-1, 1 << 30, int32(len(fresh().v) / 16)} {
				for _, at := range []int{0, n / 2, n - 1} {
					c := fresh()
					c.cols[at] = bad
					what := fmt.Sprintf("%s n=%d cols[%d]=%d", kernel.name, n, at, bad)
					expect(what, fmt.Sprintf("cols[%d] = %d", at, bad), func() { kernel.fast(c.alone()) })
					c.check(t, what)
				}
			}
			for _, k := range []int{0, -8, 4, 12, 15} {
				c := fresh()
				c.k = k
				expect(kernel.name+" bad stride", "multiple of 8", func() { kernel.fast(c.alone()) })
			}
		}
		c := newRowCase[T](3, 16, 5, 1)
		c.u, c.gu = c.u[:15], c.gu[:15]
		expect(kernel.name+" short u, gu", "needs 16", func() { kernel.fast(c.alone()) })
		c = newRowCase[T](3, 16, 5, 1)
		c.v, c.gv = c.v[:0], c.gv[:0]
		expect(kernel.name+" no v", "outside the 0 rows", func() { kernel.fast(c.alone()) })
		c = newRowCase[T](3, 16, 5, 1)
		c.x, c.r, c.z = c.x[:4], c.r[:4], c.z[:4]
		if kernel.name != "CoreRows" && kernel.name != "ColumnRows" {
			expect(kernel.name+" short x, r, z", "needs 5", func() { kernel.fast(c.alone()) })
		}
	}
	g := make([]T, 6)
	expect("Dot", "needs 3", func() { Dot(g[:3], g[:2]) })
	expect("Axpy", "needs 3", func() { Axpy(1, g[:3], g[3:5]) })
	expect("AxpyRows", "slice x has 5", func() { AxpyRows(g[:2], g[:5], g[:3]) })
	expect("Hadamard", "needs 3", func() { Hadamard(g[:2], g[:3], g[:3]) })
	expect("Hadamard", "needs 3", func() { Hadamard(g[:3], g[:3], g[3:5]) })
	expect("Apart", "needs 3", func() { Apart(make([]float64, 3), make([]float64, 2)) })
	expect("GemmNN", "slice a has 5", func() { GemmNN(g[:4], g[:5], g[:6], 2, 2, 3) })
	expect("GemmTN", "slice b has 5", func() { GemmTN(g[:4], g[:6], g[:5], 2, 2, 3) })
	expect("GemmNT", "slice c has 3", func() { GemmNT(g[:3], g[:6], g[:6], 2, 2, 3) })
	expect("Gram", "slice a has 5", func() { Gram(g[:4], g[:5], 3, 2) })
	expect("GramNT", "slice a has 5", func() { GramNT(g[:4], g[:5], 2, 3) })
}

func TestMisuse(t *testing.T) { each(t, testMisuse[float64], testMisuse[float32]) }
