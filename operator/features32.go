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
