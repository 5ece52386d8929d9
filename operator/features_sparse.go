package operator

import (
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// sparseRows are compressed rows, see SparseFeatures. They implement rows.
type sparseRows[T Storage] struct {
	ptr    []int64
	index  []int32
	values []T
}

func (sparseRows[T]) sparse() bool { return true }

func (s sparseRows[T]) count() int { return len(s.values) }

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
