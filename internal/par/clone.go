package par

import (
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// cloneAlone is the number of elements below which one processor copies as fast as many: such a copy is not zeroed first.
const cloneAlone = 1 << 18

// Clone is a copy of x.
func Clone[T kernel.Real](x []T) []T {
	if len(x) < cloneAlone {
		return slices.Clone(x)
	}
	y := memory.Make[T](len(x))
	Pieces(len(x), func(lo, hi int) { copy(y[lo:hi], x[lo:hi]) })
	return y
}
