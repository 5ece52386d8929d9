package linalg

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// ThinSVD is the singular value decomposition A = P diag(s) Qᵀ of an m×n matrix with r = min(m, n): P is m×r, Q n×r,
// s descending. It always returns: where the QR iteration gives up, Jacobi's one-sided rotations take its place. Of a matrix
// with NaN or infinite entries the values are NaN, and P and Q the first columns of the identity.
func ThinSVD(a *mat.Dense) (p *mat.Dense, s []float64, q *mat.Dense) {
	m, n := a.Dims()
	unit := mat.DenseCopyOf(a)
	exponent, ok := toUnit(unit)
	if !ok {
		return axes(m, min(m, n)), nans(min(m, n)), axes(n, min(m, n))
	}
	var svd mat.SVD
	switch {
	case svd.Factorize(unit, mat.SVDThin):
		p, s, q = new(mat.Dense), svd.Values(nil), new(mat.Dense)
		svd.UTo(p)
		svd.VTo(q)
	case m < n:
		q, s, p = jacobiSVD(mat.DenseCopyOf(unit.T()))
	default:
		p, s, q = jacobiSVD(unit)
	}
	for i := range s {
		s[i] = math.Ldexp(s[i], exponent)
	}
	return p, s, q
}

// axes is the first k columns of the n×n identity.
func axes(n, k int) *mat.Dense { return mat.DenseCopyOf(identity(n, true).Slice(0, n, 0, k)) }

// jacobiSVD is ThinSVD for m ≥ n and entries of unit size, by rotations that make the columns orthogonal [Golub and Van Loan, Matrix Computations,
// 8.6.3].
func jacobiSVD(a *mat.Dense) (p *mat.Dense, s []float64, q *mat.Dense) {
	m, n := a.Dims()
	cols, right := make([][]float64, n), make([][]float64, n) // contiguous columns
	for j := range n {
		cols[j], right[j] = mat.Col(nil, j, a), make([]float64, n)
		right[j][j] = 1
	}
	orthogonalise(cols, right)
	order, norms := make([]int, n), make([]float64, n)
	for j := range order {
		order[j], norms[j] = j, math.Sqrt(dot(cols[j], cols[j]))
	}
	slices.SortFunc(order, func(i, j int) int { return compare(norms[j], norms[i]) })
	p, q, s = mat.NewDense(m, n, nil), mat.NewDense(n, n, nil), make([]float64, n)
	for to, from := range order {
		s[to] = norms[from]
		q.SetCol(to, right[from])
		p.SetCol(to, unitBeside(p, to, cols[from], norms[from]))
	}
	return p, s, q
}

// orthogonalise rotates pairs of columns, and those of right with them, until all are orthogonal to rounding.
func orthogonalise(cols, right [][]float64) {
	for range sweeps {
		rotated := false
		for i := range cols {
			for j := i + 1; j < len(cols); j++ {
				x, y, off := dot(cols[i], cols[i]), dot(cols[j], cols[j]), dot(cols[i], cols[j])
				if off == 0 || math.Abs(off) <= 1e-15*math.Sqrt(x)*math.Sqrt(y) {
					continue
				}
				c, s := rotation(x, y, off)
				rotate(cols[i], cols[j], c, s)
				rotate(right[i], right[j], c, s)
				rotated = true
			}
		}
		if !rotated {
			return
		}
	}
}

func rotate(x, y []float64, c, s float64) {
	for i, u := range x {
		x[i], y[i] = c*u-s*y[i], s*u+c*y[i]
	}
}

// unitBeside is x/‖x‖, or, for a null direction, a unit vector orthogonal to the first k columns of p: one of the axes is at
// least 1/√m outside their span.
func unitBeside(p *mat.Dense, k int, x []float64, norm float64) []float64 {
	m := len(x)
	u := append([]float64(nil), x...)
	for axis := 0; norm < 1e-150; axis++ {
		clear(u)
		u[axis] = 1
		for range 2 {
			for j := range k {
				col := mat.Col(nil, j, p)
				d := dot(col, u)
				for i := range u {
					u[i] -= d * col[i]
				}
			}
		}
		if norm = math.Sqrt(dot(u, u)); norm < 1/(2*math.Sqrt(float64(m))) && axis+1 < m {
			norm = 0
		}
	}
	for i := range u {
		u[i] /= norm
	}
	return u
}
