package recovery

import (
	"github.com/seed-b18ef778/gcg/dataset"
)

// mirrored is a symmetric problem with the same losses of symmetric matrices: an entry that is known on one side of the diagonal
// has half of its weight on either, and two squares of one x are a square about the mean and a constant. Omega has the weights.
// Without it, splitting has to find out which part of each multiplier is that of X = Xᵀ, and hardly does where penalties are
// weak. Of two other losses of one x with different targets each stays on its side.
func mirrored(data *dataset.Sparse, weight float64, squared bool) (m *dataset.Sparse, constant float64) {
	n := data.M
	m = &dataset.Sparse{M: n, N: n, Ptr: make([]int64, 1, n+1)}
	type known struct {
		col   int32
		value float64
	}
	above := make([][]known, n) // of Xᵀ, by rows
	for i := range n {
		for e := data.Ptr[i]; e < data.Ptr[i+1]; e++ {
			j := data.Cols[e]
			above[j] = append(above[j], known{int32(i), data.Values[e]})
		}
	}
	for i := range n {
		own := data.Cols[data.Ptr[i]:data.Ptr[i+1]]
		values, used := data.Values[data.Ptr[i]:data.Ptr[i+1]], 0
		add := func(col int32, value, omega float64) {
			m.Cols, m.Values, m.Omega = append(m.Cols, col), append(m.Values, value), append(m.Omega, omega)
		}
		for _, other := range above[i] {
			for ; used < len(own) && own[used] < other.col; used++ {
				add(own[used], values[used], weight/2)
			}
			if used == len(own) || own[used] > other.col {
				add(other.col, other.value, weight/2)
				continue
			}
			value := values[used]
			if off := value - other.value; squared && off != 0 {
				value = value/2 + other.value/2
				constant += weight * off * off / 8
			}
			add(other.col, value, weight)
			used++
		}
		for ; used < len(own); used++ {
			add(own[used], values[used], weight/2)
		}
		m.Ptr = append(m.Ptr, int64(len(m.Cols)))
	}
	return m, constant
}
