package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/unionfind"
	"gonum.org/v1/gonum/mat"
)

// TraceNorm is the sum of the singular values of a sparse m×n matrix, in which places may repeat: by the connected components of
// its rows and columns, each a dense matrix of its own, whose Gram matrix on the shorter side is decomposed.
func TraceNorm(m, n int, rows, cols []int32, vals []float64) (norm float64) {
	nodes := unionfind.New(m + n) // rows, then columns
	for e := range rows {
		nodes.Join(rows[e], int32(m)+cols[e])
	}
	parts := map[int32][]int{}
	var order []int32
	for e := range vals {
		root := nodes.Find(rows[e])
		if parts[root] == nil {
			order = append(order, root)
		}
		parts[root] = append(parts[root], e)
	}
	for _, root := range order {
		norm += traceNormOf(parts[root], rows, cols, vals)
	}
	return norm
}

// traceNormOf is the trace norm of the given entries alone.
func traceNormOf(entries []int, rows, cols []int32, vals []float64) (norm float64) {
	number := func(of []int32) map[int32]int {
		at := map[int32]int{}
		for _, e := range entries {
			if _, known := at[of[e]]; !known {
				at[of[e]] = len(at)
			}
		}
		return at
	}
	long, short := number(rows), number(cols)
	from, to := rows, cols
	if len(short) > len(long) {
		long, short, from, to = short, long, cols, rows
	}
	if len(short) == 1 { // a vector
		sum := make([]float64, len(long))
		for _, e := range entries {
			sum[long[from[e]]] += vals[e]
		}
		return math.Sqrt(kernel.SumSq(sum))
	}
	k := len(short)
	dense := make([]float64, len(long)*k)
	for _, e := range entries {
		dense[long[from[e]]*k+short[to[e]]] += vals[e]
	}
	return DenseTraceNorm(dense, len(long), k)
}

// DenseTraceNorm is the sum of the singular values of a row-major m×n matrix of any shape, from the eigenvalues of its Gram
// matrix: an error of about ε‖X‖_* σ₁/σ in a singular value σ.
func DenseTraceNorm(x []float64, m, n int) (norm float64) {
	scale := linalg.MaxAbs(x)
	if scale == 0 {
		return 0
	}
	if n > m {
		t := make([]float64, m*n)
		for i := range m {
			for j := range n {
				t[j*m+i] = x[i*n+j]
			}
		}
		x, m, n = t, n, m
	}
	unit := make([]float64, len(x))
	kernel.Axpy(1/scale, x, unit)
	g := make([]float64, n*n)
	kernel.Gram(g, unit, m, n)
	kernel.Mirror(g, n)
	values, _ := linalg.SymEigen(mat.NewSymDense(n, g), false)
	for _, v := range values {
		norm += math.Sqrt(math.Max(v, 0))
	}
	return scale * norm
}
