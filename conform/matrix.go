package conform

import "github.com/seed-b18ef778/gcg"

// A Matrix is a dense row-major M×N map, written plainly: the naive twin of other maps.
type Matrix struct {
	M, N int
	Data []float64
}

func (a Matrix) Dims() (m, n int) { return a.M, a.N }

// MulTo writes dst = A x.
func (a Matrix) MulTo(dst, x []float64) {
	for i := range a.M {
		dst[i] = dot(a.Data[i*a.N:(i+1)*a.N], x)
	}
}

// TMulTo writes dst = Aᵀ y.
func (a Matrix) TMulTo(dst, y []float64) {
	clear(dst)
	for i, yi := range y {
		for j, x := range a.Data[i*a.N : (i+1)*a.N] {
			dst[j] += yi * x
		}
	}
}

// RowsTo copies rows from lo on.
func (a Matrix) RowsTo(dst []float64, lo int) { copy(dst, a.Data[lo*a.N:]) }

// matrixOf writes a map out.
func matrixOf(g gcg.Map) Matrix {
	m, n := g.Dims()
	a := Matrix{m, n, make([]float64, m*n)}
	gcg.DenseTo(a.Data, g)
	return a
}

// addAtom adds weight·a.
func (a Matrix) addAtom(t *gcg.Atom, weight float64) {
	if !t.LowRank() {
		for e, x := range t.Vals {
			a.Data[int(t.Rows[e])*a.N+int(t.Cols[e])] += weight * x
		}
		return
	}
	for i := range a.M {
		for j := range a.N {
			a.Data[i*a.N+j] += weight * dot(t.U.Row(i)[:t.U.K], t.V.Row(j))
		}
	}
}
