package kernel

import (
	"fmt"
	"slices"
)

// Kernels of rows do several in one call: calls would take as long as the work on rows, or on pieces of rows in a block of
// columns, of few entries. Row i of u, du and gu has the entries ptr[i] ≤ e < ptr[i+1] of cols, z, r and x; ptr does not descend.
// Long calls are cut at rows.
//
// Blocks of columns keep v and gv in cache: 9.3 million entries in 71,567 rows and 65,133 columns take PassRows row after row 12,
// 32 and 64 ns an entry at k = 16, 32 and 64, and over blocks of 4096 columns 11, 22 and 37 (BenchmarkBlocked64).

// entriesPerCall bounds the entries of one assembly call.
const entriesPerCall = 1 << 14

// needRows checks ptr and returns the end of the entries it speaks of.
func needRows(k int, ptr []int64, cols []int32) int {
	needStride(k)
	last := int64(0)
	for i, p := range ptr {
		if p < last || p > int64(len(cols)) {
			panic(fmt.Sprintf("kernel: ptr[%d] = %d is below %d or beyond the %d elements of cols", i, p, last, len(cols)))
		}
		last = p
	}
	return int(last)
}

// cut returns how many rows to do in one call: at least one, and as many as have entriesPerCall entries together.
func cut(ptr []int64) int {
	rows := len(ptr) - 1
	if ptr[rows]-ptr[0] <= entriesPerCall {
		return rows
	}
	i, _ := slices.BinarySearch(ptr, ptr[0]+entriesPerCall)
	return max(1, min(i, rows))
}

func needDoneRows(done int, ptr []int64, cols []int32, rows int) {
	if done != int(ptr[len(ptr)-1]) {
		panicColumn(done, cols, rows)
	}
}
