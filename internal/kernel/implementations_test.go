package kernel

import (
	"math/rand/v2"
	"testing"
)

// each runs the tests of both storages, or of one, once for every implementation this machine has.
func each(t *testing.T, f64, f32 func(*testing.T)) {
	defer func(old *implementation) { active = old }(active)
	for _, active = range implementations() {
		if f64 != nil {
			t.Run(Name()+"/float64", f64)
		}
		if f32 != nil {
			t.Run(Name()+"/float32", f32)
		}
	}
}

// guarded returns n small integers, so that all sums are exact in any order, starting off elements into an array
// (unaligned for odd off), and a check that the elements around them have not been written to.
func guarded[T Real](rng *rand.Rand, n, off int) (s []T, check func(t *testing.T, name string)) {
	const margin, mark = 24, 12345
	all := make([]T, off+n+margin)
	for i := range all {
		all[i] = mark
	}
	s = all[off : off+n]
	for i := range s {
		s[i] = T(rng.IntN(5) - 2)
	}
	return s, func(t *testing.T, name string) {
		t.Helper()
		for i, x := range all {
			if (i < off || i >= off+n) && x != mark {
				t.Fatalf("%s: wrote %d elements off its slice of %d", name, i-off, n)
			}
		}
	}
}

func integers[T Real](rng *rand.Rand, n, off int) []T {
	s, _ := guarded[T](rng, n, off)
	return s
}

func clone[T Real](s []T) []T { return append([]T(nil), s...) }

func equal[T Real](t *testing.T, name string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s[%d] = %v, want %v (of %d)", name, i, got[i], want[i], len(want))
		}
	}
}
