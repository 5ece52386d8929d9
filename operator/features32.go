package operator

import "github.com/seed-b18ef778/gcg/internal/kernel"

// rows32 is a Features in float32, with products as those of rows, for k a multiple of 8.
type rows32 interface {
	mul(dst, b []float32, lo, hi, k int)
	tmul(dst, b []float32, lo, hi, k int)
}

type (
	dense32  denseRows[float32]
	sparse32 sparseRows[float32]
)

func (d denseRows[T]) single() rows32  { return dense32{narrowed(d.x), d.p} }
func (s sparseRows[T]) single() rows32 { return sparse32{s.ptr, s.index, narrowed(s.values)} }

func (d denseRows[T]) centred(mean []float64) (x rows32, ok bool) {
	y := make([]float32, len(d.x))
	for i := 0; i < len(d.x); i += d.p {
		for j, v := range d.x[i : i+d.p] {
			y[i+j] = float32(float64(v) - mean[j])
		}
	}
	return dense32{y, d.p}, true
}

func (s sparseRows[T]) centred([]float64) (x rows32, ok bool) { return s.single(), false }

// withOnes is [X 1], of p+1 features.
type withOnes struct {
	rows32
	p int
}

func (x withOnes) mul(dst, b []float32, lo, hi, k int) {
	x.rows32.mul(dst, b[:x.p*k], lo, hi, k)
	for i := range hi - lo {
		kernel.Axpy32(1, b[x.p*k:(x.p+1)*k], dst[i*k:(i+1)*k])
	}
}

func (x withOnes) tmul(dst, b []float32, lo, hi, k int) {
	x.rows32.tmul(dst[:x.p*k], b, lo, hi, k)
	for i := range hi - lo {
		kernel.Axpy32(1, b[i*k:(i+1)*k], dst[x.p*k:(x.p+1)*k])
	}
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

func (d dense32) mul(dst, b []float32, lo, hi, k int) {
	clear(dst)
	kernel.GemmNN32(dst, d.x[lo*d.p:hi*d.p], b, hi-lo, k, d.p)
}

func (d dense32) tmul(dst, b []float32, lo, hi, k int) {
	kernel.GemmTN32(dst, d.x[lo*d.p:hi*d.p], b, d.p, k, hi-lo)
}

func (s sparse32) mul(dst, b []float32, lo, hi, k int) {
	clear(dst)
	for i := lo; i < hi; i++ {
		if at, end := s.ptr[i], s.ptr[i+1]; at < end {
			kernel.GatherRow32(dst[(i-lo)*k:(i-lo+1)*k], b, k, s.index[at:end], s.values[at:end])
		}
	}
}

func (s sparse32) tmul(dst, b []float32, lo, hi, k int) {
	for i := lo; i < hi; i++ {
		if at, end := s.ptr[i], s.ptr[i+1]; at < end {
			kernel.ScatterRow32(dst, b[(i-lo)*k:(i-lo+1)*k], k, s.index[at:end], s.values[at:end])
		}
	}
}
