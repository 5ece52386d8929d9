package operator

import (
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Storage is how the values of observations are kept.
type Storage interface{ float32 | float64 }

// rowKernels are the kernels that work in T.
type rowKernels[T Storage] struct {
	hess   func(gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T)
	spmm   func(gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T)
	core   func(gu, pu, q []T, k int, ptr []int64, cols []int32)
	column func(gv, u, v []T, k int, ptr []int64, cols []int32)
}

var (
	kernels64 = rowKernels[float64]{kernel.HessRows, kernel.SpmmRows, kernel.CoreRows, kernel.ColumnRows}
	kernels32 = rowKernels[float32]{kernel.HessRows32, kernel.SpmmRows32, kernel.CoreRows32, kernel.ColumnRows32}
)

func kernelsOf[T Storage]() *rowKernels[T] {
	if k, ok := any(&kernels64).(*rowKernels[T]); ok {
		return k
	}
	return any(&kernels32).(*rowKernels[T])
}

// double is x where T is float64.
func double[T Storage](x []T) ([]float64, bool) {
	y, ok := any(x).([]float64)
	return y, ok
}

// same is x where T is float64, and nil otherwise.
func same[T Storage](x []float64) []T {
	y, _ := any(x).([]T)
	return y
}

// widened is x in float64: itself, or a copy in buf.
func widened[T Storage](buf *[]float64, x []T) []float64 {
	if y, ok := double(x); ok {
		return y
	}
	y := grown(buf, len(x))
	for e, v := range x {
		y[e] = float64(v)
	}
	return y
}

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
	for e, v := range y {
		x[e] = T(v)
	}
}

// factorsIn are the factors in T: themselves, or rounded copies, which giveBack takes.
func factorsIn[T Storage](fs []*gcg.Factor) [][]T {
	all := make([][]T, len(fs))
	for i, f := range fs {
		if all[i] = same[T](f.Data); all[i] == nil {
			x := lent[T](len(f.Data))
			pieces(len(x), func(lo, hi int) { narrow(x[lo:hi], f.Data[lo:hi]) })
			all[i] = x
		}
	}
	return all
}

// sumsIn is where to add up f in T, cleared: f itself, or what takeSums then adds to it.
func sumsIn[T Storage](f *gcg.Factor) []T {
	x := same[T](f.Data)
	if x == nil {
		x = lent[T](len(f.Data))
	}
	pieces(len(x), func(lo, hi int) { clear(x[lo:hi]) })
	return x
}

func takeSums[T Storage](f *gcg.Factor, x []T) {
	if _, ok := double(x); ok {
		return
	}
	pieces(len(x), func(lo, hi int) {
		for i, v := range x[lo:hi] {
			f.Data[lo+i] = float64(v)
		}
	})
	giveBack(x)
}

// blockSums is where to add up elements lo … hi-1 of f, which start from 0 if first says so: themselves, or zeros, which
// addBlock then adds.
func blockSums[T Storage](f *gcg.Factor, lo, hi int, first bool) []T {
	if first {
		clear(f.Data[lo:hi])
	}
	if x := same[T](f.Data[lo:hi]); x != nil {
		return x
	}
	x := lent[T](hi - lo)
	clear(x)
	return x
}

func addBlock[T Storage](f *gcg.Factor, lo int, x []T) {
	if _, ok := double(x); ok {
		return
	}
	dst := f.Data[lo : lo+len(x)]
	for i, v := range x {
		dst[i] += float64(v)
	}
	giveBack(x)
}

// lent is memory with any content until giveBack.
func lent[T Storage](n int) []T {
	if x, ok := lendable.Get().(*[]float32); ok && cap(*x) >= n {
		if y, ok := any((*x)[:n]).([]T); ok {
			return y
		}
	}
	return make([]T, n)
}

// giveBack takes what was lent; factors themselves, in float64, it leaves alone.
func giveBack[T Storage](x []T) {
	if y, ok := any(x).([]float32); ok {
		lendable.Put(&y)
	}
}

var lendable sync.Pool

func pieces(n int, f func(lo, hi int)) {
	blocks := par.Grain(n, 1<<14, 64)
	par.For(blocks, func(b int) { f(par.Range(b, blocks, n)) })
}

// scratch is the working memory of a tile.
type scratch struct {
	ptr  []int64
	a, b []float64
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
