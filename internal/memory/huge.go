// Package memory makes large slices on pages of 2 MB where the system has them, and lends memory that is used again. A pass over
// observations reads rows of factors in no order: on pages of 4 KB nearly every row of a factor of 100 MB misses the table of addresses as
// well as the cache.
package memory

import (
	"slices"
	"unsafe"
)

// page is the size and the alignment of a huge page on the processors that have kernels; least is the size from which slices ask.
const (
	page  = 2 << 20
	least = 2 * page
)

// Make is make([]T, n) for a T without pointers.
func Make[T any](n int) []T {
	x := make([]T, n)
	if size := bytes(x); size >= least {
		advise(inner(unsafe.Slice((*byte)(unsafe.Pointer(&x[0])), size)))
	}
	return x
}

// Clone is a copy of x; copying, where the pages are small, takes no zeroing before it.
func Clone[T any](x []T) []T {
	if bytes(x) < least {
		return slices.Clone(x)
	}
	y := Make[T](len(x))
	copy(y, x)
	return y
}

func bytes[T any](x []T) int { return len(x) * int(unsafe.Sizeof(*new(T))) }

// inner are the whole huge pages in b.
func inner(b []byte) []byte {
	skip := int(-uintptr(unsafe.Pointer(&b[0])) % page)
	return b[skip : skip+(len(b)-skip)/page*page]
}
