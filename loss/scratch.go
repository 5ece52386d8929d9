package loss

import "sync"

// run is how many predictions are handled at a time where a loss needs room for intermediate values: they stay in the
// first-level cache, and one call of a kernel serves them all.
const run = 512

var pool = sync.Pool{New: func() any { return new([]float64) }}

// borrow is a buffer of n elements, of any content; pool.Put gives it back. Losses are evaluated too often, and on
// blocks too large, to leave theirs to the collector.
func borrow(n int) *[]float64 {
	buf := pool.Get().(*[]float64)
	if cap(*buf) < n {
		*buf = make([]float64, n)
	}
	*buf = (*buf)[:n]
	return buf
}
