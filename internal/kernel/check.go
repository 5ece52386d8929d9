package kernel

import "fmt"

// real is the storage of a kernel; generic code compiles to separate loops for the two.
type real = Real

func needStride(k int) {
	if k < 8 || k%8 != 0 {
		panicStride(k)
	}
}

// needDims checks the part of a row's elements that is used.
func needDims(dims, k int) {
	if dims < 4 || dims > k || dims%4 != 0 {
		panicDims(dims, k)
	}
}

// needBlocks checks a number of entries that go to the kernels in blocks.
func needBlocks(n int) {
	if n%RidgeBlock != 0 {
		panicBlocks(n)
	}
}

func need(name string, have, want int) {
	if have < want {
		panicShort(name, have, want)
	}
}

// needDone checks that a row kernel got through all its columns; it stops in front of one that v does not have.
func needDone(done int, cols []int32, rows int) {
	if done != len(cols) {
		panicColumn(done, cols, rows)
	}
}

//go:noinline
func panicStride(k int) {
	panic(fmt.Sprintf("kernel: row stride k = %d is not a positive multiple of 8", k))
}

//go:noinline
func panicDims(dims, k int) {
	panic(fmt.Sprintf("kernel: %d elements of a row of %d are used, not a positive multiple of 4 of them", dims, k))
}

//go:noinline
func panicBlocks(n int) {
	panic(fmt.Sprintf("kernel: %d entries are no multiple of %d", n, RidgeBlock))
}

//go:noinline
func panicShort(name string, have, want int) {
	panic(fmt.Sprintf("kernel: slice %s has %d elements, needs %d", name, have, want))
}

//go:noinline
func panicColumn(done int, cols []int32, rows int) {
	for e := done; e < len(cols); e++ {
		if j := cols[e]; j < 0 || int(j) >= rows {
			panic(fmt.Sprintf("kernel: cols[%d] = %d is outside the %d rows of v", e, j, rows))
		}
	}
	panic(fmt.Sprintf("kernel: row stopped at entry %d of %d", done, len(cols)))
}
