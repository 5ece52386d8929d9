package kernel

import (
	"fmt"
	"slices"
)

// Kernels of rows do several rows in one call: for a row of few entries a call would take as long as the work. Row i of u, du and
// gu has the entries ptr[i] ≤ e < ptr[i+1] of cols, z, r and x; ptr does not descend. Long calls are cut at rows.

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
