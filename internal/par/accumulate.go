package par

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Accumulate overwrites dst with a sum over n items, in blocks ≥ 1 blocks. f adds the items lo ≤ i < hi of one block to a
// part of that block's own, as long as dst, which is zero at first. The parts are dst itself and borrowed memory; they are
// added in order.
func Accumulate[T kernel.Real](dst []T, blocks, n int, f func(part []T, lo, hi int)) {
	parts := make([][]T, blocks)
	parts[0] = dst
	for b := 1; b < blocks; b++ {
		parts[b] = memory.Borrow[T](len(dst))
	}
	For(blocks, func(b int) {
		clear(parts[b])
		lo, hi := Range(b, blocks, n)
		f(parts[b], lo, hi)
	})
	Pieces(len(dst), func(lo, hi int) {
		for _, part := range parts[1:] {
			kernel.Axpy(1, part[lo:hi], dst[lo:hi])
		}
	})
	for _, part := range parts[1:] {
		memory.Repay(part)
	}
}
