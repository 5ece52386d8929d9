// Package par runs blocks of work on all processors, with the same result on 1 and on 64 of them. The blocks, and the order in
// which their sums are added, depend on the problem alone.
package par

import "runtime"

// For calls f(b) for every block 0 ≤ b < blocks, on at most GOMAXPROCS goroutines, of which the caller is one, and returns
// when all calls have. The calls must not depend on each other, panic, or end their goroutine.
func For(blocks int, f func(b int)) {
	procs := runtime.GOMAXPROCS(0)
	if procs == 1 || blocks <= 1 {
		for b := 0; b < blocks; b++ {
			f(b)
		}
		return
	}
	newLoop(procs, blocks, f).lead() // the caller works too: if it slept, it would have to be woken for every loop
}

// Do calls all of fs, at once where there are processors for it, and returns when all have.
func Do(fs ...func()) {
	For(len(fs), func(b int) { fs[b]() })
}

// Sum is Σ f(b) over the blocks. The calls may run at once; their results are added in the order of the blocks.
func Sum(blocks int, f func(b int) float64) float64 {
	part := make([]float64, blocks)
	For(blocks, func(b int) { part[b] = f(b) })
	var s float64
	for _, x := range part {
		s += x
	}
	return s
}

// Range is the range lo ≤ i < hi of block b when n items are cut into blocks of nearly equal size.
func Range(b, blocks, n int) (lo, hi int) {
	return int(int64(n) * int64(b) / int64(blocks)), int(int64(n) * int64(b+1) / int64(blocks))
}

// Grain is the number of blocks, at least one and at most limit, in which n items have at least size items each.
func Grain(n, size, limit int) int {
	return max(1, min(limit, n/max(size, 1)))
}

// Pieces cuts n elements into pieces that are each worth a goroutine, and calls f for every piece lo ≤ i < hi.
func Pieces(n int, f func(lo, hi int)) {
	blocks := Grain(n, 1<<14, 64)
	For(blocks, func(b int) { f(Range(b, blocks, n)) })
}
