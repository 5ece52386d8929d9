package memory

import (
	"testing"
	"unsafe"
)

// What is advised are whole pages within the slice, all of them.
func TestInner(t *testing.T) {
	all := make([]byte, 5*page)
	for _, cut := range []int{0, 1, 4096, page - 1, page} {
		b := all[cut:]
		got := inner(b)
		start := uintptr(unsafe.Pointer(&got[0]))
		left := start - uintptr(unsafe.Pointer(&b[0]))
		right := uintptr(len(b)) - left - uintptr(len(got))
		if start%page != 0 || len(got)%page != 0 || left >= page || right >= page {
			t.Errorf("from byte %d: %d bytes from %#x, %d left before and %d behind", cut, len(got), start, left, right)
		}
	}
}

func TestMake(t *testing.T) {
	for _, n := range []int{0, 1, least/8 - 1, least / 8, 3*least/8 + 5} {
		x := Make[float64](n)
		if len(x) != n {
			t.Fatalf("%d elements of %d", len(x), n)
		}
		for i := range x {
			if x[i] != 0 {
				t.Fatalf("element %d of %d is %v", i, n, x[i])
			}
			x[i] = 1
		}
	}
}
