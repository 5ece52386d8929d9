package memory

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Borrow is memory for n numbers, with any content, until Repay: for what lives as long as one call, is called often, and is too large to be
// zeroed each time and left to the collector.
func Borrow[T kernel.Real](n int) []T {
	x, _ := borrow[T](n)
	return x
}

// borrow says whether the numbers are new, and 0.
func borrow[T kernel.Real](n int) (x []T, blank bool) {
	class, capacity := sizeClass(n)
	if capacity*int(unsafe.Sizeof(*new(T))) <= shelfMost {
		if x := shelves[T]()[class].take(); x != nil {
			return x[:n], false
		}
	} else if x, ok := pools[T]()[class].Get().(*[]T); ok {
		return (*x)[:n], false
	}
	return Make[T](capacity)[:n], true
}

// Repay takes back what Borrow gave, of any length from its start.
func Repay[T kernel.Real](x []T) {
	class, capacity := sizeClass(cap(x))
	switch {
	case capacity != cap(x):
	case size(x) > shelfMost:
		pools[T]()[class].Put(&x)
	default:
		shelves[T]()[class].put(x[:0])
	}
}

// size is in bytes, with all that x has room for.
func size[T kernel.Real](x []T) int64 { return int64(cap(x)) * int64(unsafe.Sizeof(*new(T))) }

// shelfMost is the size in bytes above which memory lies in pools, which collections empty.
const shelfMost = 8 << 20

// Numbers from leastBytes to mostBytes are kept by Zeros and Room for those who repay: the collector is as fast with less, and with more a
// size class wastes what memory may not hold.
const (
	leastBytes = 4 << 10
	mostBytes  = 32 << 20
)

func kept[T kernel.Real](n int) bool {
	bytes := n * int(unsafe.Sizeof(*new(T)))
	return leastBytes <= bytes && bytes <= mostBytes
}

// Zeros is n zeros, which may be repaid or left to the collector.
func Zeros[T kernel.Real](n int) []T {
	if !kept[T](n) {
		return Make[T](n)
	}
	x, blank := borrow[T](n)
	if !blank {
		clear(x)
	}
	return x
}

// Room is memory for n numbers, with any content, which may be repaid or left to the collector.
func Room[T kernel.Real](n int) []T {
	if !kept[T](n) {
		return Make[T](n)
	}
	return Borrow[T](n)
}

// steps is how many sizes there are from one power of two to the next.
const steps = 4

var pools32, pools64 [64 * steps]sync.Pool

func pools[T kernel.Real]() *[64 * steps]sync.Pool {
	if _, ok := any([]T(nil)).([]float32); ok {
		return &pools32
	}
	return &pools64
}

func shelves[T kernel.Real]() *[64 * steps]shelf[T] {
	var all any = &shelves64
	if _, ok := any([]T(nil)).([]float32); ok {
		all = &shelves32
	}
	return all.(*[64 * steps]shelf[T])
}

// sizeClass is the least size that is kept and not below n, and its number.
func sizeClass(n int) (class, size int) {
	n = max(n, 2*steps)
	shift := bits.Len(uint(n-1)) - bits.Len(steps)
	top := (n-1)>>shift + 1 // steps < top ≤ 2·steps
	return shift*steps + top - steps - 1, top << shift
}
