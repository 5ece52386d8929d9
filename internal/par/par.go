// Package par runs blocks of work on all processors so that the result is the same for 1 and for 64 of them:
// the blocks and the order in which their sums are added depend on the problem alone.
package par

import "runtime"

// For calls f(b) for every block 0 ≤ b < blocks, on at most GOMAXPROCS goroutines, of which the caller is one. The calls must not depend on
// each other, panic, or end their goroutine. It returns when all have returned.
func For(blocks int, f func(b int)) {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || blocks <= 1 {
		for b := 0; b < blocks; b++ {
			f(b)
		}
		return
	}
	newLoop(procs, blocks, f).lead() // a caller that waits would be woken for every loop
}

// Do calls all of fs, side by side where there are processors.
func Do(fs ...func()) {
	For(len(fs), func(b int) { fs[b]() })
}

// Sum adds f(b) over the blocks, in the order of the blocks.
func Sum(blocks int, f func(b int) float64) float64 {
	part := make([]float64, blocks)
	For(blocks, func(b int) { part[b] = f(b) })
	var s float64
	for _, x := range part {
		s += x
	}
	return s
}

// Range is the half-open range of block b when n items are cut into equal blocks.
func Range(b, blocks, n int) (lo, hi int) {
	return int(int64(n) * int64(b) / int64(blocks)), int(int64(n) * int64(b+1) / int64(blocks))
}

// Grain is the number of blocks for n items of at least size items each, at most limit.
func Grain(n, size, limit int) int {
	return max(1, min(limit, n/max(size, 1)))
}

// Pieces calls f for pieces lo ≤ i < hi of n elements, each worth a goroutine.
func Pieces(n int, f func(lo, hi int)) {
	blocks := Grain(n, 1<<14, 64)
	For(blocks, func(b int) { f(Range(b, blocks, n)) })
}
