package operator

import (
	"fmt"
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A Storage is the type in which the values of observations are kept: float32 or float64.
type Storage = gcg.Real

// double is x itself where T is float64; otherwise it reports false.
func double[T Storage](x []T) ([]float64, bool) {
	y, ok := any(x).([]float64)
	return y, ok
}

// widened is x in float64: x itself, or a copy in buf.
func widened[T Storage](buf *[]float64, x []T) []float64 { return in(buf, x) }

// target is where to write in float64 what is to be stored in x: x itself, or buf, which narrow then rounds into x.
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

// in is x in P: x itself, or a copy in buf.
func in[P, T Storage](buf *[]P, x []T) []P {
	if same, ok := any(x).([]P); ok {
		return same
	}
	y := grown(buf, len(x))
	kernel.Convert(y, x)
	return y
}

// factorsIn is a list of the one factor f in T, as pass wants it.
func factorsIn[T Storage](f *gcg.Factor) []*gcg.FactorOf[T] {
	return []*gcg.FactorOf[T]{gcg.FactorIn[T](f)}
}

// sumsIn is where to add up f in T: f itself, or borrowed memory of any content, which takeSums then copies to f and gives
// back.
func sumsIn[T Storage](f *gcg.Factor) *gcg.FactorOf[T] {
	if same, ok := any(f).(*gcg.FactorOf[T]); ok {
		return same
	}
	return &gcg.FactorOf[T]{Rows: f.Rows, K: f.K, Stride: f.Stride, Data: memory.Borrow[T](len(f.Data))}
}

// takeSums copies the sums to f, unless they are f, and gives their memory back.
func takeSums[T Storage](f *gcg.Factor, sums *gcg.FactorOf[T]) {
	if _, ok := any(sums).(*gcg.Factor); ok {
		return
	}
	par.Pieces(len(f.Data), func(lo, hi int) {
		kernel.Convert(f.Data[lo:hi], sums.Data[lo:hi])
	})
	memory.Repay(sums.Data)
}

// scratch is work space for the runs of a tile.
type scratch struct {
	ptr    []int64   // the offsets of the rows of a run
	a, b   []float64 // for the values of a run
	single []float32 // for the values of a run
}

// spare is the memory of w for numbers in P.
func spare[P Storage](w *scratch) *[]P {
	if buf, ok := any(&w.a).(*[]P); ok {
		return buf
	}
	return any(&w.single).(*[]P)
}

// scratches are free ones.
var scratches = sync.Pool{New: func() any { return new(scratch) }}

// borrowScratch is a scratch that nobody else has until it is released.
func borrowScratch() *scratch { return scratches.Get().(*scratch) }

// release gives a scratch back.
func (w *scratch) release() { scratches.Put(w) }

// grown is the first n numbers of x, which is replaced by a longer slice where it has not so many.
func grown[P Storage](x *[]P, n int) []P {
	if cap(*x) < n {
		*x = make([]P, n+n/4)
	}
	return (*x)[:n]
}

// checkOffsets refuses offsets that do not cut cols into m rows.
func checkOffsets(m, n int, ptr []int64, cols []int32) error {
	if m < 1 || n < 1 || len(ptr) != m+1 || ptr[0] != 0 || ptr[m] != int64(len(cols)) {
		return fmt.Errorf("operator: a %d×%d matrix by rows needs %d row offsets from 0 to %d", m, n, m+1, len(cols))
	}
	for i := range m {
		if ptr[i] > ptr[i+1] || ptr[i+1] > int64(len(cols)) {
			return fmt.Errorf("operator: the row offsets descend at row %d", i+1)
		}
	}
	return nil
}

// checkRows refuses what is not m compressed rows of strictly ascending columns below n.
func checkRows(m, n int, ptr []int64, cols []int32) error {
	if err := checkOffsets(m, n, ptr, cols); err != nil {
		return err
	}
	for i := range m {
		last := int32(-1)
		for _, j := range cols[ptr[i]:ptr[i+1]] {
			if j <= last || int(j) >= n {
				return fmt.Errorf("operator: row %d has column %d after %d; columns ascend from 1 to %d", i+1, j+1, last+1, n)
			}
			last = j
		}
	}
	return nil
}

// fromZero appends the offsets ptr to dst, counted from the first of them.
func fromZero(dst, ptr []int64) []int64 {
	for _, at := range ptr {
		dst = append(dst, at-ptr[0])
	}
	return dst
}
