package operator

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Features is a matrix X of n samples by p features, dense or sparse, in float64 or float32 storage. The arithmetic is
// float64, but for products within iterations, of which float32 takes half of the time. It keeps the slices it is given: nothing is copied
// but up to 16 million values in float64, for those.
type Features struct {
	n, p int
	rows rows
}

// Dims is the number of samples and of features.
func (x *Features) Dims() (n, p int) { return x.n, x.p }

// empty says that no constructor made x.
func (x *Features) empty() bool { return x == nil || x.rows == nil }

// rows is the storage of a Features. In mul and tmul b and dst are row-major with k columns; for sparse rows k is 1 or a
// multiple of 8.
type rows interface {
	// mul writes dst[(hi-lo)×k] = X[lo:hi] B[p×k].
	mul(dst, b []float64, lo, hi, k int)
	// tmul adds X[lo:hi]ᵀ B[(hi-lo)×k] to dst[p×k].
	tmul(dst, b []float64, lo, hi, k int)
	// single is X in float32.
	single() rows32
	// centred is X less the given means in float32; X itself, and not ok, where that would not be sparse.
	centred(mean []float64) (x rows32, ok bool)
	// add adds a·xᵢ to dst[p].
	add(dst []float64, i int, a float64)
	// addSquares adds a·xᵢ∘xᵢ to dst[p].
	addSquares(dst []float64, i int, a float64)
	// entries writes dst[t] = X[i, index[t]].
	entries(dst []float64, i int, index []int32)
	// sparse says which of the two storages it is.
	sparse() bool
	// count is the number of values that are stored.
	count() int
}

// DenseFeatures is an n×p matrix, row-major in x (len np), which is kept, not copied. Another length, no samples, no features and
// values that are not finite are errors.
func DenseFeatures[T Storage](n, p int, x []T) (*Features, error) {
	if n < 1 || p < 1 || len(x)%p != 0 || len(x)/p != n { // n·p may be more than an int holds
		return nil, fmt.Errorf("operator: %d values do not fill a matrix of %d samples × %d features", len(x), n, p)
	}
	for e, v := range x {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: feature %d of sample %d is %v", e%p+1, e/p+1, v)
		}
	}
	return &Features{n, p, denseRows[T]{x, p}}, nil
}

// SparseFeatures is an n×p matrix by compressed rows: row i has values[ptr[i]:ptr[i+1]] in the ascending columns of index. The slices
// are kept, not copied. Offsets or columns out of order, other lengths and values that are not finite are errors.
func SparseFeatures[T Storage](n, p int, ptr []int64, index []int32, values []T) (*Features, error) {
	if err := checkRows(n, p, ptr, index); err != nil {
		return nil, err
	}
	if len(values) != len(index) {
		return nil, fmt.Errorf("operator: %d values for %d places", len(values), len(index))
	}
	for e, v := range values {
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return nil, fmt.Errorf("operator: value %d, of feature %d, is %v", e+1, index[e]+1, v)
		}
	}
	return &Features{n, p, sparseRows[T]{ptr, index, values}}, nil
}

type denseRows[T Storage] struct {
	x []T
	p int
}

func (denseRows[T]) sparse() bool  { return false }
func (sparseRows[T]) sparse() bool { return true }

func (x denseRows[T]) count() int  { return len(x.x) }
func (s sparseRows[T]) count() int { return len(s.values) }

// panel is the number of rows that are widened to float64 at a time.
const panel = 64

// block is rows lo … hi as float64: the storage itself, or a copy in buf.
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

// panels calls f for the rows lo … hi, whole where they are float64 already.
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

type sparseRows[T Storage] struct {
	ptr    []int64
	index  []int32
	values []T
}

func (s sparseRows[T]) row(i int) ([]int32, []T) {
	lo, hi := s.ptr[i], s.ptr[i+1]
	return s.index[lo:hi], s.values[lo:hi]
}

func (s sparseRows[T]) mul(dst, b []float64, lo, hi, k int) {
	var buf []float64
	ptr := make([]int64, 2) // of one row, widened by itself
	clear(dst[:(hi-lo)*k])
	for i := lo; i < hi; i++ {
		index, values := s.row(i)
		v := widened(&buf, values)
		if k == 1 {
			dst[i-lo] = kernel.DotSparse(b, index, v)
		} else if ptr[1] = int64(len(index)); ptr[1] > 0 {
			kernel.GatherRows(dst[(i-lo)*k:(i-lo+1)*k], b, k, ptr, index, v)
		}
	}
}

func (s sparseRows[T]) tmul(dst, b []float64, lo, hi, k int) {
	var buf []float64
	ptr := make([]int64, 2)
	for i := lo; i < hi; i++ {
		index, values := s.row(i)
		if len(index) == 0 {
			continue
		}
		v := widened(&buf, values)
		if k == 1 {
			kernel.AxpySparse(dst, b[i-lo], index, v)
		} else {
			ptr[1] = int64(len(index))
			kernel.ScatterRows(dst, b[(i-lo)*k:(i-lo+1)*k], k, ptr, index, v)
		}
	}
}

func (s sparseRows[T]) add(dst []float64, i int, a float64) {
	var buf []float64
	index, values := s.row(i)
	kernel.AxpySparse(dst, a, index, widened(&buf, values))
}

// entries merges the row with the ascending index.
func (s sparseRows[T]) entries(dst []float64, i int, want []int32) {
	index, values := s.row(i)
	e := 0
	for t, j := range want {
		for e < len(index) && index[e] < j {
			e++
		}
		dst[t] = 0
		if e < len(index) && index[e] == j {
			dst[t] = float64(values[e])
		}
	}
}

func (d denseRows[T]) addSquares(dst []float64, i int, a float64) {
	for j, v := range d.x[i*d.p : (i+1)*d.p] {
		dst[j] += a * float64(v) * float64(v)
	}
}

func (s sparseRows[T]) addSquares(dst []float64, i int, a float64) {
	for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
		dst[s.index[e]] += a * float64(s.values[e]) * float64(s.values[e])
	}
}
