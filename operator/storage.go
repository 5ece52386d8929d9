package operator

import (
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Storage is how the values of observations are kept.
type Storage = gcg.Real

// double is x where T is float64.
func double[T Storage](x []T) ([]float64, bool) {
	y, ok := any(x).([]float64)
	return y, ok
}

// widened is x in float64: itself, or a copy in buf.
func widened[T Storage](buf *[]float64, x []T) []float64 { return in(buf, x) }

// target is where to write what is to be stored in x: x itself, or buf, which narrow then stores.
func target[T Storage](buf *[]float64, x []T) []float64 {
	if y, ok := double(x); ok {
		return y
	}
	return grown(buf, len(x))
}

// narrow rounds y into x, unless y is x.
func narrow[T Storage](x []T, y []float64) {
	if _, ok := double(x); ok {
		return
	}
	kernel.Convert(x, y)
}

// in is x in P: itself, or a copy in buf.
func in[P, T Storage](buf *[]P, x []T) []P {
	if same, ok := any(x).([]P); ok {
		return same
	}
	y := grown(buf, len(x))
	kernel.Convert(y, x)
	return y
}

// factorsIn is one factor in T, for a pass.
func factorsIn[T Storage](f *gcg.Factor) []*gcg.FactorOf[T] {
	return []*gcg.FactorOf[T]{gcg.FactorIn[T](f)}
}

// sumsIn is where to add up f in T: f itself, or what takeSums then copies to it.
func sumsIn[T Storage](f *gcg.Factor) *gcg.FactorOf[T] {
	if same, ok := any(f).(*gcg.FactorOf[T]); ok {
		return same
	}
	return &gcg.FactorOf[T]{Rows: f.Rows, K: f.K, Stride: f.Stride, Data: memory.Borrow[T](len(f.Data))}
}

func takeSums[T Storage](f *gcg.Factor, sums *gcg.FactorOf[T]) {
	if _, ok := any(sums).(*gcg.Factor); ok {
		return
	}
	par.Pieces(len(f.Data), func(lo, hi int) {
		kernel.Convert(f.Data[lo:hi], sums.Data[lo:hi])
	})
	memory.Repay(sums.Data)
}

// scratch is the working memory of a tile.
type scratch struct {
	ptr    []int64
	a, b   []float64
	single []float32
}

// spare is w's memory for numbers in P.
func spare[P Storage](w *scratch) *[]P {
	if buf, ok := any(&w.a).(*[]P); ok {
		return buf
	}
	return any(&w.single).(*[]P)
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

func borrowScratch() *scratch { return scratches.Get().(*scratch) }
func (w *scratch) release()   { scratches.Put(w) }

// grown is n numbers of x, or of a longer one in its place.
func grown[P Storage](x *[]P, n int) []P {
	if cap(*x) < n {
		*x = make([]P, n+n/4)
	}
	return (*x)[:n]
}
