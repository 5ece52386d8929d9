package par

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Accumulate writes dst = Σ over blocks of n items of what f adds to a part that is zero, for the items lo ≤ i < hi. The parts are added in
// order.
func Accumulate[T kernel.Real](dst []T, blocks, n int, f func(part []T, lo, hi int)) {
	parts := make([][]T, blocks)
	For(blocks, func(b int) {
		parts[b] = dst
		if b > 0 {
			parts[b] = memory.Borrow[T](len(dst))
		}
		clear(parts[b])
		lo, hi := Range(b, blocks, n)
		f(parts[b], lo, hi)
	})
	Pieces(len(dst), func(lo, hi int) {
		for _, part := range parts[1:] {
			kernel.AxpyOf(1, part[lo:hi], dst[lo:hi])
		}
	})
	for _, part := range parts[1:] {
		memory.Repay(part)
	}
}
