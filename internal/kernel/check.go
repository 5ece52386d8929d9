package kernel

import "fmt"

func needStride(k int) {
	if k < 8 || k%8 != 0 {
		panicStride(k)
	}
}

func need(name string, have, want int) {
	if have < want {
		panicShort(name, have, want)
	}
}

//go:noinline
func panicStride(k int) {
	panic(fmt.Sprintf("kernel: row stride k = %d is not a positive multiple of 8", k))
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
