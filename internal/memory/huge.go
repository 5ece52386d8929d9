// Package memory makes large slices on pages of 2 MB where the system has them, lends memory that is used again, and says how
// much there is.
//
// A pass over observations reads rows of factors in no order. On pages of 4 KB nearly every read of a row of a factor of 100
// MB would miss the processor's table of addresses as well as the cache.
package memory

import "unsafe"

const (
	smallPage = 4 << 10  // size of an ordinary page in bytes
	page      = 2 << 20  // size and alignment of a huge page, in bytes, on the processors that have kernels
	least     = 2 * page // the least size in bytes for which Make asks for huge pages
)

// Make is make([]T, n), on huge pages if it is large, for a T without pointers.
func Make[T any](n int) []T {
	x := make([]T, n)
	switch size := n * int(unsafe.Sizeof(*new(T))); {
	case size >= least:
		advise(inner(Bytes(x)))
	case size >= smallPage:
		settle(Bytes(x))
	}
	return x
}

// Bytes is the memory of x, for a T without pointers.
func Bytes[T any](x []T) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(x))), len(x)*int(unsafe.Sizeof(*new(T))))
}

// settle writes to each page of b, which is zero. Where a page is read before it is written, as by sums into it, the system
// finds memory for it twice, and the second time interrupts all processors that work for the process.
func settle(b []byte) {
	for i := 0; i < len(b); i += smallPage {
		b[i] = 0
	}
}

// inner is the part of b that is whole huge pages.
func inner(b []byte) []byte {
	skip := int(-uintptr(unsafe.Pointer(&b[0])) % page)
	return b[skip : skip+(len(b)-skip)/page*page]
}
