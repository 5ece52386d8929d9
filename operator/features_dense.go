package operator

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// denseRows are the rows of X, of p features each, one after the other. They implement rows.
type denseRows[T Storage] struct {
	x []T
	p int
}

func (denseRows[T]) sparse() bool { return false }

func (d denseRows[T]) count() int { return len(d.x) }

// panel is the number of rows that are widened to float64 at a time.
const panel = 64

// block is rows lo ≤ i < hi, at most panel of them, as float64: the storage itself, or a copy in buf.
func (d denseRows[T]) block(buf *[]float64, lo, hi int) []float64 {
	if x, ok := any(d.x).([]float64); ok {
		return x[lo*d.p : hi*d.p]
	}
	if *buf == nil {
		*buf = make([]float64, panel*d.p)
	}
	b := (*buf)[:(hi-lo)*d.p]
	kernel.Convert(b, d.x[lo*d.p:hi*d.p])
	return b
}

// panels calls f for the rows first ≤ i < last in float64: for all at once where they are stored so, else for a panel at a
// time.
func (d denseRows[T]) panels(lo, hi int, f func(x []float64, lo, hi int)) {
	step := hi - lo
	if _, ok := any(d.x).([]float64); !ok {
		step = panel
	}
	var buf []float64
	for ; lo < hi; lo += step {
		f(d.block(&buf, lo, min(lo+step, hi)), lo, min(lo+step, hi))
	}
}

func (d denseRows[T]) mul(dst, b []float64, first, last, k int) {
	clear(dst[:(last-first)*k])
	d.panels(first, last, func(x []float64, lo, hi int) {
		out := dst[(lo-first)*k : (hi-first)*k]
		if k > 1 {
			kernel.GemmNN(out, x, b[:d.p*k], hi-lo, k, d.p)
			return
		}
		for i := range out {
			out[i] = kernel.Dot(x[i*d.p:(i+1)*d.p], b)
		}
	})
}

func (d denseRows[T]) tmul(dst, b []float64, first, last, k int) {
	d.panels(first, last, func(x []float64, lo, hi int) {
		in := b[(lo-first)*k : (hi-first)*k]
		if k > 1 {
			kernel.GemmTN(dst[:d.p*k], x, in, d.p, k, hi-lo)
			return
		}
		for i, a := range in {
			if a != 0 {
				kernel.Axpy(a, x[i*d.p:(i+1)*d.p], dst)
			}
		}
	})
}

func (d denseRows[T]) add(dst []float64, i int, a float64) {
	var buf []float64
	kernel.Axpy(a, d.block(&buf, i, i+1), dst)
}

func (d denseRows[T]) entries(dst []float64, i int, index []int32) {
	row := d.x[i*d.p : (i+1)*d.p]
	for t, j := range index {
		dst[t] = float64(row[j])
	}
}

func (d denseRows[T]) addSquares(dst []float64, i int, a float64) {
	for j, v := range d.x[i*d.p : (i+1)*d.p] {
		dst[j] += a * float64(v) * float64(v)
	}
}

func (d denseRows[T]) merged(place []int32, scale []float64) rows {
	k := len(scale)
	out := make([]float64, len(d.x)/d.p*k)
	for i := range len(d.x) / d.p {
		row := out[i*k : (i+1)*k]
		for j, v := range d.x[i*d.p : (i+1)*d.p] {
			if c := place[j]; c >= 0 {
				row[c] += float64(v)
			}
		}
		for c, by := range scale {
			row[c] *= by
		}
	}
	return denseRows[float64]{out, k}
}
