package operator

import "sync"

// A Storage is how the values of observations are kept; arithmetic is float64 with either.
type Storage interface{ float32 | float64 }

// scratch is the working memory of a tile.
type scratch struct {
	ptr        []int64
	a, b, ones []float64
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrowScratch() *scratch { return scratches.Get().(*scratch) }
func (w *scratch) release()   { scratches.Put(w) }
func grown(x *[]float64, n int) []float64 {
	if cap(*x) < n {
		*x = make([]float64, n+n/4)
	}
	return (*x)[:n]
}

// widened is x in float64: itself, or a copy in buf.
func widened[T Storage](buf *[]float64, x []T) []float64 {
	if same, ok := any(x).([]float64); ok {
		return same
	}
	y := grown(buf, len(x))
	for e, v := range x {
		y[e] = float64(v)
	}
	return y
}

// target is where to write what is to be stored in x: x itself, or buf, which narrow then stores.
func target[T Storage](buf *[]float64, x []T) []float64 {
	if same, ok := any(x).([]float64); ok {
		return same
	}
	return grown(buf, len(x))
}

// narrow rounds y into x, unless y is x.
func narrow[T Storage](x []T, y []float64) {
	if _, ok := any(x).([]float64); ok {
		return
	}
	for e, v := range y {
		x[e] = T(v)
	}
}

// allOnes is n times 1.
func (w *scratch) allOnes(n int) []float64 {
	for len(w.ones) < n {
		w.ones = append(w.ones, 1)
	}
	return w.ones[:n]
}
