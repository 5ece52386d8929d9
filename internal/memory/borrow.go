package memory

import (
	"math/bits"
	"sync"
	"unsafe"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Borrow is memory for n numbers, with any content, until Repay. It is for memory that lives as long as one call, where the call
// is made often and the memory is too large to be zeroed each time and left to the collector.
func Borrow[T kernel.Real](n int) []T {
	x, _ := borrow[T](n)
	return x
}

// borrow is Borrow; blank reports whether the memory is new, and so 0.
func borrow[T kernel.Real](n int) (x []T, blank bool) {
	class, size := sizeClass((n*sizeOf[T]() + 7) / 8)
	if x, ok := take(class, size); ok {
		return as[T](x)[:n], false
	}
	return as[T](Make[float64](size))[:n], true
}

// take finds memory of a class, or on the free lists of one of the next classes, of less than twice the size.
func take(class, size int) (x []float64, ok bool) {
	if 8*size > listedUpTo {
		if x, ok := pools[class].Get().(*[]float64); ok {
			return *x, true
		}
		return nil, false
	}
	for c := class; c < class+steps && !ok; c++ {
		x, ok = freeLists[c].take()
	}
	return x, ok
}

// Repay takes back what Borrow gave: the slice or a part from its start, which all belong to the same memory. Memory of a
// size that Borrow does not give is left to the collector.
func Repay[T kernel.Real](x []T) {
	words := cap(x) * sizeOf[T]() / 8
	class, size := sizeClass(words)
	switch {
	case size != words || cap(x)*sizeOf[T]() != 8*words:
	case 8*size > listedUpTo:
		y := as[float64](x)
		pools[class].Put(&y)
	default:
		freeLists[class].put(as[float64](x))
	}
}

// sizeOf is the size of a T in bytes.
func sizeOf[T kernel.Real]() int { return int(unsafe.Sizeof(*new(T))) }

// as is all of x, up to its capacity, as numbers of another type.
func as[T, S kernel.Real](x []S) []T {
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(x))), cap(x)*sizeOf[S]()/sizeOf[T]())
}

// listedUpTo is the size in bytes up to which memory that is paid back lies on the free lists. Larger memory lies in pools, which
// collections empty.
const listedUpTo = 8 << 20

// Zeros and Room borrow memory of leastBytes to mostBytes, so that it can be paid back. With less, the collector is as fast; with
// more, the rounding up to a size class would waste more than there may be.
const (
	leastBytes = 4 << 10
	mostBytes  = 32 << 20
)

// kept reports whether Zeros and Room borrow memory for n numbers.
func kept[T kernel.Real](n int) bool {
	bytes := n * sizeOf[T]()
	return leastBytes <= bytes && bytes <= mostBytes
}

// Zeros is n zeros. They may be paid back with Repay, or left to the collector.
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

// Room is memory for n numbers, with any content. It may be paid back with Repay, or left to the collector.
func Room[T kernel.Real](n int) []T {
	if !kept[T](n) {
		return Make[T](n)
	}
	return Borrow[T](n)
}

// steps is how many size classes there are from one power of two to the next: more of them waste less memory by rounding up.
const steps = 4

// pools has the free memory of each class above listedUpTo.
var pools [64 * steps]sync.Pool

// sizeClass is the least size of a class that is not below n, in words of 8 bytes, and the number of the class.
func sizeClass(n int) (class, size int) {
	n = max(n, 2*steps)
	shift := bits.Len(uint(n-1)) - bits.Len(steps)
	top := (n-1)>>shift + 1 // steps < top ≤ 2·steps
	return shift*steps + top - steps - 1, top << shift
}
