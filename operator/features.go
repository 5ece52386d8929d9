package operator

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Features is a matrix X of n samples by p features, dense or sparse, in float64 or float32 storage. The arithmetic is
// float64, except in products within iterations, which take half of the time in float32. It keeps the slices that it is
// given, which must not change while it is used. For the products in float32 up to 16 million values that are float64 are
// copied, and sparse rows by columns where columns are asked for often, or the columns of the first dense features that are,
// an eighth of them; otherwise nothing is.
type Features struct {
	n, p   int
	rows   rows
	turned atomic.Pointer[sparseColumns] // sparse rows by columns, once columns were
	picked atomic.Int32                  // so many times
	kept   keptColumns                   // of dense rows
	norms  func() []float64              // of the columns, at least
}

// newFeatures are n rows of p features.
func newFeatures(n, p int, rows rows) *Features {
	x := &Features{n: n, p: p, rows: rows}
	x.norms = sync.OnceValue(x.columnNorms)
	return x
}

// Dims is the number of samples and of features.
func (x *Features) Dims() (n, p int) { return x.n, x.p }

// Rows are the samples lo ≤ i < hi, whose values are not copied.
func (x *Features) Rows(lo, hi int) *Features {
	return newFeatures(hi-lo, x.p, x.rows.within(lo, hi))
}

// empty reports whether no constructor made x.
func (x *Features) empty() bool { return x == nil || x.rows == nil }

// rows is the storage of a Features. xᵢ is row i. In mul and tmul b and dst are row-major with k columns, where k is 1 or a
// multiple of 8 for sparse rows, and any number for dense ones.
type rows interface {
	// mul writes dst[(hi-lo)×k] = X[lo:hi] B[p×k].
	mul(dst, b []float64, lo, hi, k int)
	// tmul adds X[lo:hi]ᵀ B[(hi-lo)×k] to dst[p×k].
	tmul(dst, b []float64, lo, hi, k int)
	// single is X in float32.
	single() rows32
	// centred is X less the given mean (p) of its rows in float32. For sparse rows it is X itself, and ok is false.
	centred(mean []float64) (x rows32, ok bool)
	// add adds a·xᵢ to dst[p].
	add(dst []float64, i int, a float64)
	// addSquares adds a·xᵢ∘xᵢ to dst[p].
	addSquares(dst []float64, i int, a float64)
	// entries writes dst[t] = X[i, index[t]]; index ascends.
	entries(dst []float64, i int, index []int32)
	// pick makes the columns of some ascending features of x, whose rows these are: of the values that are not 0 where X is
	// sparse, else of all.
	pick(x *Features, features []int32, out []gcg.Column)
	// merged is X with sums of features in place of features, see Design.Merged.
	merged(place []int32, scale []float64) rows
	// sparse reports whether X is stored by its entries.
	sparse() bool
	// count is the number of values that are stored.
	count() int
	// within is the rows lo ≤ i < hi, whose values are not copied.
	within(lo, hi int) rows
}

// DenseFeatures is an n×p matrix, row-major in x (len np), which is kept, not copied. It refuses another length, no samples
// or features, and values that are not finite.
func DenseFeatures[T Storage](n, p int, x []T) (*Features, error) {
	if n < 1 || p < 1 || len(x)%p != 0 || len(x)/p != n { // n·p may be more than an int holds
		return nil, fmt.Errorf("operator: %d values do not fill a matrix of %d samples × %d features", len(x), n, p)
	}
	if e := notFinite(x); e >= 0 {
		return nil, fmt.Errorf("operator: feature %d of sample %d is %v", e%p+1, e/p+1, x[e])
	}
	return newFeatures(n, p, denseRows[T]{x, p}), nil
}

// SparseFeatures is an n×p matrix by compressed rows: row i has values[ptr[i]:ptr[i+1]] in the columns
// index[ptr[i]:ptr[i+1]], which ascend strictly. The slices are kept, not copied. It refuses offsets or columns out of order
// or range, other lengths, and values that are not finite.
func SparseFeatures[T Storage](n, p int, ptr []int64, index []int32, values []T) (*Features, error) {
	if err := checkRows(n, p, ptr, index); err != nil {
		return nil, err
	}
	if len(values) != len(index) {
		return nil, fmt.Errorf("operator: %d values for %d places", len(values), len(index))
	}
	if e := notFinite(values); e >= 0 {
		return nil, fmt.Errorf("operator: value %d, of feature %d, is %v", e+1, index[e]+1, values[e])
	}
	return newFeatures(n, p, sparseRows[T]{ptr, index, values}), nil
}

// notFinite is the first of x that is NaN or infinite, or -1. The sum of squares, which is a fast pass, is finite where all are,
// unless it overflows.
func notFinite[T Storage](x []T) int {
	if s := kernel.SumSq(x); s-s == 0 {
		return -1
	}
	return slices.IndexFunc(x, func(v T) bool { return v-v != 0 })
}

// denseRows are the rows of X, of p features each, one after the other. They implement rows.
type denseRows[T Storage] struct {
	x []T
	p int
}

func (denseRows[T]) sparse() bool { return false }

func (d denseRows[T]) count() int { return len(d.x) }

func (d denseRows[T]) within(lo, hi int) rows { return denseRows[T]{d.x[lo*d.p : hi*d.p], d.p} }

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
		kernel.AxpyRows(in, x, dst[:d.p])
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

// sparseRows are compressed rows, see SparseFeatures. They implement rows.
type sparseRows[T Storage] struct {
	ptr    []int64
	index  []int32
	values []T
}

func (sparseRows[T]) sparse() bool { return true }

func (s sparseRows[T]) count() int { return len(s.values) }

func (s sparseRows[T]) within(lo, hi int) rows {
	from, to := s.ptr[lo], s.ptr[hi]
	return sparseRows[T]{fromZero(nil, s.ptr[lo:hi+1]), s.index[from:to], s.values[from:to]}
}

// row is the columns and values of row i.
func (s sparseRows[T]) row(i int) ([]int32, []T) {
	lo, hi := s.ptr[i], s.ptr[i+1]
	return s.index[lo:hi], s.values[lo:hi]
}

func (s sparseRows[T]) mul(dst, b []float64, lo, hi, k int) {
	var buf []float64
	ptr := make([]int64, 2) // the offsets of one row, as each row is widened by itself
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

// entries merges row i with the ascending list of features that are wanted.
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

func (s sparseRows[T]) addSquares(dst []float64, i int, a float64) {
	for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
		dst[s.index[e]] += a * float64(s.values[e]) * float64(s.values[e])
	}
}

func (s sparseRows[T]) merged(place []int32, scale []float64) rows {
	out := sparseRows[float64]{ptr: make([]int64, 1, len(s.ptr))}
	sum, mark := make([]float64, len(scale)), make([]int32, len(scale))
	for i := range len(s.ptr) - 1 {
		index, values := s.row(i)
		from := len(out.index)
		for e, j := range index {
			c := place[j]
			if c < 0 {
				continue
			}
			if mark[c] != int32(i)+1 {
				mark[c], sum[c] = int32(i)+1, 0
				out.index = append(out.index, c)
			}
			sum[c] += float64(values[e])
		}
		slices.Sort(out.index[from:])
		for _, c := range out.index[from:] {
			out.values = append(out.values, scale[c]*sum[c])
		}
		out.ptr = append(out.ptr, int64(len(out.index)))
	}
	return out
}

// rows32 is a Features in float32, a panel of rows at a time.
type rows32 interface {
	// panel is rows lo ≤ i < hi. What is not stored as float32 is converted into room, which grows as it has to; this ends the
	// panel that was there before.
	panel(lo, hi int, room *[]float32) panel32
}

// A panel32 is some rows of X (s×p) in float32, with products as rows has them, for k a multiple of 8.
type panel32 interface {
	mul(dst, b []float32, k int)  // writes dst (s×k) = X b (p×k)
	tmul(dst, b []float32, k int) // adds Xᵀ b (s×k) to dst (p×k)
}

// dense32 is dense rows that are stored as float32.
type dense32 denseRows[float32]

// sparse32 is compressed rows that are stored as float32.
type sparse32 sparseRows[float32]

// copyLimit is the number of float64 values up to which a copy in float32 is kept, 64 MB. With more, each pass converts every
// panel, which takes a tenth of its time, and memory holds no second X.
var copyLimit = 1 << 24

// single is X itself where it is stored as float32, a copy of up to copyLimit values, or X converted a panel at a time.
func (d denseRows[T]) single() rows32 {
	if x, ok := any(d.x).([]float32); ok {
		return dense32{x, d.p}
	} else if len(d.x) > copyLimit {
		return convertedDense[T]{d, nil}
	}
	return dense32{narrowed(d.x), d.p}
}

// single is X itself where it is stored as float32, a copy of up to copyLimit values, or X converted a panel at a time.
func (s sparseRows[T]) single() rows32 {
	if x, ok := any(s.values).([]float32); ok {
		return sparse32{s.ptr, s.index, x}
	} else if len(s.values) > copyLimit {
		return convertedSparse[T](s)
	}
	return sparse32{s.ptr, s.index, narrowed(s.values)}
}

// centred is X less the mean: a copy of up to copyLimit values, or X converted a panel at a time.
func (d denseRows[T]) centred(mean []float64) (x rows32, ok bool) {
	c := convertedDense[T]{d, mean}
	if len(d.x) > copyLimit {
		return c, true
	}
	all := make([]float32, len(d.x))
	return c.panel(0, len(d.x)/d.p, &all).(dense32), true
}

// centred is X in float32 and not centred, as it would not be sparse then.
func (s sparseRows[T]) centred([]float64) (x rows32, ok bool) { return s.single(), false }

func (d dense32) panel(lo, hi int, _ *[]float32) panel32 { return dense32{d.x[lo*d.p : hi*d.p], d.p} }

func (d dense32) mul(dst, b []float32, k int) {
	clear(dst)
	kernel.GemmNN(dst, d.x, b, len(d.x)/d.p, k, d.p)
}

func (d dense32) tmul(dst, b []float32, k int) {
	kernel.GemmTN(dst, d.x, b, d.p, k, len(d.x)/d.p)
}

func (s sparse32) panel(lo, hi int, _ *[]float32) panel32 {
	return sparse32{s.ptr[lo : hi+1], s.index, s.values}
}

func (s sparse32) mul(dst, b []float32, k int) {
	clear(dst)
	kernel.GatherRows(dst, b, k, s.ptr, s.index, s.values)
}

func (s sparse32) tmul(dst, b []float32, k int) {
	kernel.ScatterRows(dst, b, k, s.ptr, s.index, s.values)
}

// A convertedDense is dense rows, less the mean where that is not nil, which become float32 a panel at a time.
type convertedDense[T Storage] struct {
	denseRows[T]
	mean []float64
}

func (c convertedDense[T]) panel(lo, hi int, room *[]float32) panel32 {
	x := c.x[lo*c.p : hi*c.p]
	y := grown(room, len(x))
	if c.mean == nil {
		kernel.Convert(y, x)
		return dense32{y, c.p}
	}
	wide := make([]float64, c.p)
	for i := 0; i < len(x); i += c.p {
		kernel.Convert(wide, x[i:i+c.p])
		kernel.Axpy(-1, c.mean, wide)
		kernel.Convert(y[i:i+c.p], wide)
	}
	return dense32{y, c.p}
}

// A convertedSparse is compressed rows whose values become float32 a panel at a time.
type convertedSparse[T Storage] sparseRows[T]

func (s convertedSparse[T]) panel(lo, hi int, room *[]float32) panel32 {
	from, to := s.ptr[lo], s.ptr[hi]
	y := grown(room, int(to-from))
	kernel.Convert(y, s.values[from:to])
	return sparse32{fromZero(make([]int64, 0, hi-lo+1), s.ptr[lo:hi+1]), s.index[from:to], y}
}

// narrowed is x as float32: itself, or a copy.
func narrowed[T Storage](x []T) []float32 {
	if y, ok := any(x).([]float32); ok {
		return y
	}
	y := make([]float32, len(x))
	kernel.Convert(y, x)
	return y
}

// withOnes is [X 1], of p+1 features, for a constant in the last row of W.
type withOnes struct {
	rows32
	p int
}

func (x withOnes) panel(lo, hi int, room *[]float32) panel32 {
	return panelWithOnes{x.rows32.panel(lo, hi, room), x.p}
}

// panelWithOnes is a panel of [X 1].
type panelWithOnes struct {
	panel32
	p int
}

func (x panelWithOnes) mul(dst, b []float32, k int) {
	x.panel32.mul(dst, b[:x.p*k], k)
	for i := 0; i < len(dst); i += k {
		kernel.Axpy(1, b[x.p*k:(x.p+1)*k], dst[i:i+k])
	}
}

func (x panelWithOnes) tmul(dst, b []float32, k int) {
	x.panel32.tmul(dst[:x.p*k], b, k)
	for i := 0; i < len(b); i += k {
		kernel.Axpy(1, b[i:i+k], dst[x.p*k:(x.p+1)*k])
	}
}
