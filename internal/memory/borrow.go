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
	class, size := sizeClass((n*sizeOf[T]() + 7) / 8)
	if x, ok := take(class, size); ok {
		return as[T](x)[:n], false
	}
	return as[T](Make[float64](size))[:n], true
}

// take finds memory of a class, or of one of the next.
func take(class, size int) (x []float64, ok bool) {
	if 8*size > shelfMost {
		if x, ok := pools[class].Get().(*[]float64); ok {
			return *x, true
		}
		return nil, false
	}
	for c := class; c < class+steps && !ok; c++ {
		x, ok = shelves[c].take()
	}
	return x, ok
}

// Repay takes back what Borrow gave, of any length from its start.
func Repay[T kernel.Real](x []T) {
	words := cap(x) * sizeOf[T]() / 8
	class, size := sizeClass(words)
	switch {
	case size != words || cap(x)*sizeOf[T]() != 8*words:
	case 8*size > shelfMost:
		y := as[float64](x)
		pools[class].Put(&y)
	default:
		shelves[class].put(as[float64](x))
	}
}

func sizeOf[T kernel.Real]() int { return int(unsafe.Sizeof(*new(T))) }

// as is all of x, in another type.
func as[T, S kernel.Real](x []S) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), cap(x)*sizeOf[S]()/sizeOf[T]())
}

// shelfMost is the size in bytes above which memory lies in pools, which collections empty.
const shelfMost = 8 << 20

// Numbers from leastBytes to mostBytes are kept by Zeros and Room for those who repay: the collector is as fast with less, and with more a
// size class wastes what memory may not hold.
const (
	leastBytes = 4 << 10
	mostBytes  = 32 << 20
)

func kept[T kernel.Real](n int) bool {
	bytes := n * sizeOf[T]()
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

var pools [64 * steps]sync.Pool

// sizeClass is the least size that is kept and not below n, and its number.
func sizeClass(n int) (class, size int) {
	n = max(n, 2*steps)
	shift := bits.Len(uint(n-1)) - bits.Len(steps)
	top := (n-1)>>shift + 1 // steps < top ≤ 2·steps
	return shift*steps + top - steps - 1, top << shift
}
