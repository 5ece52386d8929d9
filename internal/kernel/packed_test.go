package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Packed rows have what the rows of v have, and zeros behind; so have products with them, and the squares of these.
func testPackedRows[T Real](t *testing.T, s surface[T]) {
	for _, shape := range [][4]int{{8, 4, 0, 0}, {8, 4, 1, 20}, {8, 8, 40, 3}, {16, 12, 30, 12}, {16, 16, 9, 40}, {24, 16, 20, 9}, {16, 12, 5000, 8}, {16, 16, 3, 9000}} {
		k, dims, rows, longest := shape[0], shape[1], shape[2], shape[3]
		c, want := newRowsCase[T](7, k, rows, longest), newRowsCase[T](7, k, rows, longest)
		for _, c := range []*rowsCase[T]{c, want} { // elements beyond dims count in no kernel that is packed
			for _, m := range [][]T{c.v, c.u, c.du} {
				for i := range m {
					if i%k >= dims {
						m[i] = 0
					}
				}
			}
		}
		name := fmt.Sprintf("packed k=%d dims=%d rows=%d", k, dims, rows)
		rng := rand.New(rand.NewPCG(1, 1))
		p, checkP := guarded[T](rng, PackedLen[T](dims, c.ptr), 1)
		s.packRows(p, c.v, make([]T, k), c.x, k, dims, c.ptr, c.cols)
		at := 0
		for i := range rows {
			lo, hi := int(c.ptr[i]), int(c.ptr[i+1])
			for e := lo; e-lo < packedLen[T](dims, hi-lo)/(dims+1); e++ {
				row, target := make([]T, dims), T(0)
				if e < hi {
					row, target = c.v[int(c.cols[e])*k:][:dims], c.x[e]
				}
				got := packedEntry(p[at:], dims, e-lo)
				equal(t, name, got, append(append([]T(nil), row...), target))
			}
			at += packedLen[T](dims, hi-lo)
		}
		packed := clone(p)
		square := s.packedGradientRows(c.gu, p, c.u, k, dims, c.ptr)
		if exact := gradientSquare(want); square != exact {
			t.Fatalf("%s: returned %v, want %v", name, square, exact)
		}
		equal(t, name+" gradient", c.gu, want.gu)
		s.packedCoreRows(c.gu, p, c.du, k, dims, c.ptr)
		squares, checkSquares := guarded[T](rng, rows, 1)
		s.packedSquareRows(squares, p, c.du, k, dims, c.ptr)
		for i := range rows {
			var sum T
			for _, j := range c.cols[c.ptr[i]:c.ptr[i+1]] {
				z := naiveDot(c.du[i*k:][:k], c.v[int(j)*k:][:k])
				sum += z * z
				for l := range k {
					want.gu[i*k+l] += z * c.v[int(j)*k+l]
				}
			}
			if squares[i] != sum {
				t.Fatalf("%s: squares[%d] = %v, want %v", name, i, squares[i], sum)
			}
		}
		equal(t, name+" core", c.gu, want.gu)
		equal(t, name+" is left alone", p, packed)
		checkP(t, name)
		checkSquares(t, name)
		c.check(t, name)
	}
}

// gradientSquare adds the gradients of the rows to gu, one entry after the other.
func gradientSquare[T Real](c *rowsCase[T]) (square float64) {
	for i := range len(c.ptr) - 1 {
		u, gu := c.u[i*c.k:][:c.k], c.gu[i*c.k:][:c.k]
		for e := c.ptr[i]; e < c.ptr[i+1]; e++ {
			v := c.v[int(c.cols[e])*c.k:][:c.k]
			r := c.x[e] - naiveDot(u, v)
			square += float64(r) * float64(r)
			for l := range gu {
				gu[l] += r * v[l]
			}
		}
	}
	return square
}

// packedEntry is entry e of a packed row, and its target.
func packedEntry[T Real](p []T, dims, e int) []T {
	block := blockOf[T]()
	row := make([]T, dims+1)
	for c := range row {
		row[c] = p[(e/block*(dims+1)+c)*block+e%block]
	}
	return row
}

func TestPackedRows(t *testing.T) { each(t, testPackedRows[float64], testPackedRows[float32]) }

// Columns that are not there, and slices that are too short.
func testPackedMisuse[T Real](t *testing.T, s surface[T]) {
	expect := expectation(t)
	x := make([]T, 4096)
	ptr := []int64{0, 3}
	for _, bad := range []int32{-1, 32, 1 << 30} {
		for at := range 24 {
			cols := make([]int32, 24)
			cols[at] = bad
			rows := []int64{0, 5, 24}
			p, check := guarded[T](rand.New(rand.NewPCG(1, 1)), PackedLen[T](16, rows), 1)
			expect("column", fmt.Sprintf("cols[%d] = %d", at, bad), func() { s.packRows(p, x[:32*16], x, x, 16, 16, rows, cols) })
			check(t, "PackRows")
		}
	}
	short := PackedLen[T](16, ptr) - 1
	expect("p", "slice p", func() { s.packRows(x[:short], x, x, x, 16, 16, ptr, []int32{0, 1, 2}) })
	expect("none", "needs 16", func() { s.packRows(x, x, x[:15], x, 16, 16, ptr, []int32{0, 1, 2}) })
	expect("x", "needs 3", func() { s.packRows(x, x, x, x[:2], 16, 16, ptr, []int32{0, 1, 2}) })
	for _, dims := range []int{0, 6, 20, -4} {
		expect("dims", "multiple of 4", func() { s.packRows(x, x, x, x, 24, dims, ptr, []int32{0, 1, 2}) })
		expect("dims", "multiple of 4", func() { s.packedCoreRows(x, x, x, 24, dims, ptr) })
	}
	expect("g", "slice g", func() { s.packedGradientRows(x[:15], x, x, 16, 16, ptr) })
	expect("u", "slice u", func() { s.packedGradientRows(x, x, x[:15], 16, 16, ptr) })
	expect("h", "slice h", func() { s.packedCoreRows(x[:15], x, x, 16, 16, ptr) })
	expect("d", "slice d", func() { s.packedSquareRows(x, x, x[:15], 16, 16, ptr) })
	expect("ptr", "ptr[2] = 1 is below 3", func() { s.packedCoreRows(x, x, x, 16, 16, []int64{0, 3, 1}) })
	expect("squares", "slice squares", func() { s.packedSquareRows(x[:0], x, x, 16, 16, ptr) })
}

func TestPackedMisuse(t *testing.T) { each(t, testPackedMisuse[float64], testPackedMisuse[float32]) }
