package operator

import "github.com/seed-b18ef778/gcg/internal/kernel"

// A panel32 is rows lo … hi of dense features in float32, kept for the next product with them; of sparse ones the values of a row.
type panel32 struct {
	lo, hi int
	x      []float32
}

// block32 is rows lo … hi as float32: the storage itself, or a copy.
func (d denseRows[T]) block32(w *panel32, lo, hi int) []float32 {
	if x, ok := any(d.x).([]float32); ok {
		return x[lo*d.p : hi*d.p]
	}
	if w.lo != lo || w.hi != hi {
		w.lo, w.hi = lo, hi
		narrowed(&w.x, d.x[lo*d.p:hi*d.p])
	}
	return w.x
}

func (d denseRows[T]) mul32(w *panel32, dst, b []float32, lo, hi, k int) {
	clear(dst)
	kernel.GemmNN32(dst, d.block32(w, lo, hi), b, hi-lo, k, d.p)
}

func (d denseRows[T]) tmul32(w *panel32, dst, b []float32, lo, hi, k int) {
	kernel.GemmTN32(dst, d.block32(w, lo, hi), b, d.p, k, hi-lo)
}

// narrowed is values as float32, in buf unless they are.
func narrowed[T real](buf *[]float32, values []T) []float32 {
	if v, ok := any(values).([]float32); ok {
		return v
	}
	if cap(*buf) < len(values) {
		*buf = make([]float32, len(values))
	}
	*buf = (*buf)[:len(values)]
	for i, v := range values {
		(*buf)[i] = float32(v)
	}
	return *buf
}

func (s sparseRows[T]) mul32(w *panel32, dst, b []float32, lo, hi, k int) {
	clear(dst)
	for i := lo; i < hi; i++ {
		if index, values := s.row(i); len(index) > 0 {
			kernel.GatherRow32(dst[(i-lo)*k:(i-lo+1)*k], b, k, index, narrowed(&w.x, values))
		}
	}
}

func (s sparseRows[T]) tmul32(w *panel32, dst, b []float32, lo, hi, k int) {
	for i := lo; i < hi; i++ {
		if index, values := s.row(i); len(index) > 0 {
			kernel.ScatterRow32(dst, b[(i-lo)*k:(i-lo+1)*k], k, index, narrowed(&w.x, values))
		}
	}
}
