package operator

import "github.com/seed-b18ef778/gcg/internal/kernel"

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
