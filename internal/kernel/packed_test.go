package kernel

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Packed rows have what the rows of v have, and zeros behind; so have products with them, and the squares of these. A v of a
// megabyte and more is fetched ahead.
func testPackedRows(t *testing.T) {
	for _, shape := range [][5]int{{8, 4, 0, 0, 50}, {8, 4, 1, 20, 50}, {8, 8, 40, 3, 50}, {16, 12, 30, 12, 50},
		{16, 16, 9, 40, 50}, {24, 16, 20, 9, 50},
		{16, 12, 6000, 8, 50}, {16, 16, 5, 9000, 50}, {16, 16, 30, 100, 40000}, {16, 12, 30, 100, 40000}, {8, 8, 30, 100, 80000}} {
		k, dims, rows, longest := shape[0], shape[1], shape[2], shape[3]
		c, want := newRowsCaseOf[float32](7, k, rows, longest, shape[4]), newRowsCaseOf[float32](7, k, rows, longest, shape[4])
		for _, c := range []*rowsCase[float32]{c, want} { // elements beyond dims count in no kernel that is packed
			for _, m := range [][]float32{c.v, c.u, c.du} {
				for i := range m {
					if i%k >= dims {
						m[i] = 0
					}
				}
			}
		}
		name := fmt.Sprintf("packed k=%d dims=%d rows=%d of %d", k, dims, rows, shape[4])
		p, check := guarded[float32](rand.New(rand.NewPCG(1, 1)), PackedLen(dims, c.ptr), 1)
		PackRows(p, c.v, make([]float32, k), c.x, k, dims, c.ptr, c.cols)
		checkPacked(t, name, p, c, dims)
		packed := clone(p)
		checkPackedProducts(t, name, p, c, want, dims)
		equal(t, name+" is left alone", p, packed)
		check(t, name)
		c.check(t, name)
	}
}

func checkPacked(t *testing.T, name string, p []float32, c *rowsCase[float32], dims int) {
	t.Helper()
	at := 0
	for i := range len(c.ptr) - 1 {
		lo, hi := int(c.ptr[i]), int(c.ptr[i+1])
		for e := lo; e-lo < packedLen(dims, hi-lo)/(dims+1); e++ {
			row, target := make([]float32, dims), float32(0)
			if e < hi {
				row, target = c.v[int(c.cols[e])*c.k:][:dims], c.x[e]
			}
			equal(t, name, packedEntry(p[at:], dims, e-lo), append(append([]float32(nil), row...), target))
		}
		at += packedLen(dims, hi-lo)
	}
}

// checkPackedProducts adds products to c.gu, and naive ones to want.gu.
func checkPackedProducts(t *testing.T, name string, p []float32, c, want *rowsCase[float32], dims int) {
	t.Helper()
	k, rows := c.k, len(c.ptr)-1
	square := PackedGradientRows(c.gu, p, c.u, k, dims, c.ptr)
	if exact := gradientSquare(want); square != exact {
		t.Fatalf("%s: returned %v, want %v", name, square, exact)
	}
	equal(t, name+" gradient", c.gu, want.gu)
	PackedCoreRows(c.gu, p, c.du, k, dims, c.ptr)
	squares, check := guarded[float32](rand.New(rand.NewPCG(1, 2)), rows, 1)
	PackedSquareRows(squares, p, c.du, k, dims, c.ptr)
	for i := range rows {
		var sum float32
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
	check(t, name)
}

// gradientSquare adds the gradients of the rows to gu, one entry after the other.
func gradientSquare(c *rowsCase[float32]) (square float64) {
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
func packedEntry(p []float32, dims, e int) []float32 {
	row := make([]float32, dims+1)
	for c := range row {
		row[c] = p[(e/packedBlock*(dims+1)+c)*packedBlock+e%packedBlock]
	}
	return row
}

func TestPackedRows(t *testing.T) { each(t, nil, testPackedRows) }

// Columns that are not there, and slices that are too short.
func testPackedMisuse(t *testing.T) {
	expect := expectation(t)
	x := make([]float32, 4096)
	ptr := []int64{0, 3}
	for _, bad := range []int32{-1, 32, 1 << 30} {
		for at := range 24 {
			cols := make([]int32, 24)
			cols[at] = bad
			rows := []int64{0, 5, 24}
			p, check := guarded[float32](rand.New(rand.NewPCG(1, 1)), PackedLen(16, rows), 1)
			expect("column", fmt.Sprintf("cols[%d] = %d", at, bad), func() { PackRows(p, x[:32*16], x, x, 16, 16, rows, cols) })
			check(t, "PackRows")
		}
	}
	short := PackedLen(16, ptr) - 1
	expect("p", "slice p", func() { PackRows(x[:short], x, x, x, 16, 16, ptr, []int32{0, 1, 2}) })
	expect("none", "needs 16", func() { PackRows(x, x, x[:15], x, 16, 16, ptr, []int32{0, 1, 2}) })
	expect("x", "needs 3", func() { PackRows(x, x, x, x[:2], 16, 16, ptr, []int32{0, 1, 2}) })
	for _, dims := range []int{0, 6, 20, -4} {
		expect("dims", "multiple of 4", func() { PackRows(x, x, x, x, 24, dims, ptr, []int32{0, 1, 2}) })
		expect("dims", "multiple of 4", func() { PackedCoreRows(x, x, x, 24, dims, ptr) })
	}
	expect("g", "slice g", func() { PackedGradientRows(x[:15], x, x, 16, 16, ptr) })
	expect("u", "slice u", func() { PackedGradientRows(x, x, x[:15], 16, 16, ptr) })
	expect("h", "slice h", func() { PackedCoreRows(x[:15], x, x, 16, 16, ptr) })
	expect("d", "slice d", func() { PackedSquareRows(x, x, x[:15], 16, 16, ptr) })
	expect("ptr", "ptr[2] = 1 is below 3", func() { PackedCoreRows(x, x, x, 16, 16, []int64{0, 3, 1}) })
	expect("squares", "slice squares", func() { PackedSquareRows(x[:0], x, x, 16, 16, ptr) })
}

func TestPackedMisuse(t *testing.T) { each(t, nil, testPackedMisuse) }
