package memory

import (
	"math/bits"
	"sync"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Borrow is memory for n numbers, with any content, until Repay: for what lives as long as one call, is called often, and is too large to be
// zeroed each time and left to the collector.
func Borrow[T kernel.Real](n int) []T {
	size, pool := sizeClass[T](n)
	if x, ok := pool.Get().(*[]T); ok {
		return (*x)[:n]
	}
	return Make[T](size)[:n]
}

// Repay takes back what Borrow gave, of any length from its start.
func Repay[T kernel.Real](x []T) {
	if size, pool := sizeClass[T](cap(x)); size == cap(x) {
		pool.Put(&x)
	}
}

// steps is how many sizes there are from one power of two to the next.
const steps = 4

var pools32, pools64 [64 * steps]sync.Pool

// sizeClass is the least size that is kept and not below n, with those of that size.
func sizeClass[T kernel.Real](n int) (size int, pool *sync.Pool) {
	n = max(n, 2*steps)
	shift := bits.Len(uint(n-1)) - bits.Len(steps)
	top := (n-1)>>shift + 1 // steps < top ≤ 2·steps
	pools := &pools64
	if _, ok := any([]T(nil)).([]float32); ok {
		pools = &pools32
	}
	return top << shift, &pools[shift*steps+top-steps-1]
}
