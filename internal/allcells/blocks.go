package allcells

import (
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Rows are worked on in blocks. Their number depends on the data alone, see internal/par.
const (
	rowsInBlock = 64  // at least, on average
	mostBlocks  = 256 // of a side
)

// blocks is their number.
func (s *side) blocks() int { return par.Grain(len(s.ptr)-1, rowsInBlock, mostBlocks) }

// A run is the clicks of some successive rows.
type run struct {
	ptr   []int64 // offsets of the rows, from 0
	index []int32
	a, s  []float64
}

// scratch is work space for a block.
type scratch struct {
	ptr    []int64
	x, y   []float64
	single [2][]float32
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// borrow is a scratch that nobody else has until it is released.
func borrow() *scratch { return scratches.Get().(*scratch) }

// release gives a scratch back.
func (w *scratch) release() { scratches.Put(w) }

// take is the clicks of the rows lo ≤ i < hi; its offsets are in w, and valid until the next one.
func (w *scratch) take(s *side, lo, hi int) run {
	first, last := s.ptr[lo], s.ptr[hi]
	w.ptr = w.ptr[:0]
	for _, p := range s.ptr[lo : hi+1] {
		w.ptr = append(w.ptr, p-first)
	}
	return run{w.ptr, s.index[first:last], s.a[first:last], s.s[first:last]}
}

// spare is two buffers of w for numbers in P.
func spare[P gcg.Real](w *scratch) (a, b *[]P) {
	if a, ok := any(&w.x).(*[]P); ok {
		return a, any(&w.y).(*[]P)
	}
	return any(&w.single[0]).(*[]P), any(&w.single[1]).(*[]P)
}

// grown is the first n numbers of x, which is replaced by a longer slice where it has not so many.
func grown[P gcg.Real](x *[]P, n int) []P {
	if cap(*x) < n {
		*x = make([]P, n+n/4)
	}
	return (*x)[:n]
}
