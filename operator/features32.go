package operator

import "github.com/seed-b18ef778/gcg/internal/kernel"

// block32 is rows lo … hi as float32: the storage itself, or a copy.
func (d denseRows[T]) block32(lo, hi int) []float32 {
	if x, ok := any(d.x).([]float32); ok {
		return x[lo*d.p : hi*d.p]
	}
	out := make([]float32, (hi-lo)*d.p)
	for i, v := range d.x[lo*d.p : hi*d.p] {
		out[i] = float32(v)
	}
	return out
}

func (d denseRows[T]) mul32(dst, b []float32, lo, hi, k int) {
	clear(dst)
	kernel.GemmNN32(dst, d.block32(lo, hi), b, hi-lo, k, d.p)
}

func (d denseRows[T]) tmul32(dst, b []float32, lo, hi, k int) {
	kernel.GemmTN32(dst, d.block32(lo, hi), b, d.p, k, hi-lo)
}

// narrowed is values as float32, in buf unless they are.
func narrowed[T real](buf *[]float32, values []T) []float32 {
	if v, ok := any(values).([]float32); ok {
		return v
	}
	*buf = (*buf)[:0]
	for _, v := range values {
		*buf = append(*buf, float32(v))
	}
	return *buf
}

func (s sparseRows[T]) mul32(dst, b []float32, lo, hi, k int) {
	var buf []float32
	clear(dst)
	for i := lo; i < hi; i++ {
		if index, values := s.row(i); len(index) > 0 {
			kernel.GatherRow32(dst[(i-lo)*k:(i-lo+1)*k], b, k, index, narrowed(&buf, values))
		}
	}
}

func (s sparseRows[T]) tmul32(dst, b []float32, lo, hi, k int) {
	var buf []float32
	for i := lo; i < hi; i++ {
		if index, values := s.row(i); len(index) > 0 {
			kernel.ScatterRow32(dst, b[(i-lo)*k:(i-lo+1)*k], k, index, narrowed(&buf, values))
		}
	}
}
