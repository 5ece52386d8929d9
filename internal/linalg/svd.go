package linalg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"gonum.org/v1/gonum/mat"
)

// ThinSVD is the singular value decomposition A = P diag(s) Qᵀ of an m×n matrix with r = min(m, n): P is m×r, Q n×r, s
// descending. It always returns: for a matrix with NaN or infinite entries the values are NaN, and P and Q the first columns
// of the identity.
//
// The columns of A times the eigenvectors of AᵀA are nearly orthogonal, those for small singular values too. Jacobi's
// one-sided rotations do the rest, which keeps small values as accurate as the columns determine them.
func ThinSVD(a *mat.Dense) (p *mat.Dense, s []float64, q *mat.Dense) {
	m, n := a.Dims()
	if m < n {
		q, s, p = ThinSVD(mat.DenseCopyOf(a.T()))
		return p, s, q
	}
	unit := mat.DenseCopyOf(a)
	data := unit.RawMatrix().Data
	exponent, ok := toUnit(data)
	if !ok {
		return axes(m, n), nans(n), axes(n, n)
	}
	right, gram := make([]float64, n*n), make([]float64, n*n)
	kernel.Gram(gram, data, m, n)
	kernel.Mirror(gram, n)
	_, v := SymEigen(mat.NewSymDense(n, gram), true)
	for i := range n {
		for j, x := range v.RawRowView(i) {
			right[(n-1-j)*n+i] = x
		}
	}
	cols := make([]float64, n*m)
	kernel.GemmNT(cols, right, data, n, m, n)
	orthogonalise(cols, right, m, n)
	p, s, q = sorted(cols, right, m, n)
	for i := range s {
		s[i] = math.Ldexp(s[i], exponent)
	}
	return p, s, q
}

// axes is the first k columns of the n×n identity.
func axes(n, k int) *mat.Dense { return mat.DenseCopyOf(identity(n).Slice(0, n, 0, k)) }

// orthogonalise rotates pairs of the n rows of cols, of m entries each, and the same rows of right with them, until all are
// orthogonal to rounding [Golub and Van Loan, Matrix Computations, 8.6.3]. Each sweep takes a Gram matrix, to see which pairs
// need it. Where all angles are as small as the eigenvectors leave them, one rotation turns all pairs at once: I + K + K²/2,
// which is orthogonal but for K⁴/4.
func orthogonalise(cols, right []float64, m, n int) {
	gram, k := memory.Borrow[float64](n*n), memory.Borrow[float64](n*n)
	defer memory.Repay(gram)
	defer memory.Repay(k)
	for range sweeps {
		clear(gram)
		kernel.GramNT(gram, cols, n, m)
		kernel.Mirror(gram, n)
		angle, left := generator(k, gram, n)
		switch {
		case angle == 0:
			return
		case angle < 1e-4:
			if angle > 1e-8 {
				addHalfSquare(k, n)
			}
			reflect(cols, k, n, m)
			reflect(right, k, n, n)
			if left < rounding(n) {
				return
			}
		case !jacobiSweep(cols, right, k, m, n):
			return
		}
	}
}

// rounding is the largest cosine of an angle between two of n vectors that still counts as orthogonal.
func rounding(n int) float64 { return 1e-15 * math.Sqrt(float64(n)) }

// generator writes the antisymmetric K for which (I + K) G (I - K) is diagonal to first order, with 0 where an entry of G is
// rounding. It returns ‖K‖, 0 only where nothing is left to rotate, and a bound of the cosines that a rotation by K leaves.
func generator(k, gram []float64, n int) (angle, left float64) {
	clear(k)
	lengths, tol := make([]float64, n), rounding(n)
	for i := range n {
		lengths[i] = math.Sqrt(gram[i*n+i])
	}
	cosine := 0.0
	for i := range n {
		for j := i + 1; j < n; j++ {
			off, unit := math.Abs(gram[i*n+j]), lengths[i]*lengths[j]
			if off > tol*unit {
				cosine = math.Max(cosine, off/unit)
				k[i*n+j] = gram[i*n+j] / (gram[i*n+i] - gram[j*n+j])
				k[j*n+i] = -k[i*n+j]
			}
		}
	}
	if cosine == 0 {
		return 0, 0
	}
	graded := slices.Max(lengths) / slices.Min(lengths)
	angle = math.Sqrt(kernel.SumSq(k))
	return math.Max(angle, math.SmallestNonzeroFloat64), angle * (angle + cosine) * graded * graded
}

// reflect adds K x to x, of n rows of m entries.
func reflect(x, k []float64, n, m int) {
	before := memory.Borrow[float64](n * m)
	defer memory.Repay(before)
	copy(before, x)
	kernel.GemmNN(x, k, before, n, m, n)
}

// addHalfSquare overwrites K with K + K²/2.
func addHalfSquare(k []float64, n int) {
	square := zeros(n * n)
	defer memory.Repay(square)
	kernel.GemmNN(square, k, k, n, n, n)
	kernel.Axpy(0.5, square, k)
}

// jacobiSweep rotates the pairs that have an entry in k and are not orthogonal, and reports whether there were any.
func jacobiSweep(cols, right, k []float64, m, n int) (rotated bool) {
	tol := rounding(n)
	for i := range n {
		for j := i + 1; j < n; j++ {
			if k[i*n+j] == 0 {
				continue
			}
			u, v := cols[i*m:(i+1)*m], cols[j*m:(j+1)*m]
			if x, y, off := kernel.SumSq(u), kernel.SumSq(v), kernel.Dot(u, v); math.Abs(off) > tol*math.Sqrt(x)*math.Sqrt(y) {
				c, s := rotation(x, y, off)
				rotate(u, v, c, s)
				rotate(right[i*n:(i+1)*n], right[j*n:(j+1)*n], c, s)
				rotated = true
			}
		}
	}
	return rotated
}

// rotate overwrites x and y with c·x - s·y and s·x + c·y, for c of at least ½. Most angles are so small that c is 1.
func rotate(x, y []float64, c, s float64) {
	t := s / c
	kernel.Axpy(-t, y, x)
	if c != 1 {
		kernel.Scale(c, x)
		kernel.Scale(1/c, y)
	}
	kernel.Axpy(t, x, y)
}

// sorted is the decomposition for the orthogonal rows of cols, n rows of m entries, and right, the n×n matrix that they were
// multiplied by.
func sorted(cols, right []float64, m, n int) (p *mat.Dense, s []float64, q *mat.Dense) {
	order, norms := count(n), make([]float64, n)
	for j := range order {
		norms[j] = math.Sqrt(kernel.SumSq(cols[j*m : (j+1)*m]))
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(norms[j], norms[i]) })
	p, q, s = mat.NewDense(m, n, nil), mat.NewDense(n, n, nil), make([]float64, n)
	for to, from := range order {
		s[to] = norms[from]
		q.SetCol(to, right[from*n:(from+1)*n])
		p.SetCol(to, unitBeside(p, to, cols[from*m:(from+1)*m], norms[from]))
	}
	return p, s, q
}

// unitBeside is x/‖x‖ or, where norm = ‖x‖ is 0 but for rounding, a unit vector orthogonal to the first k columns of p: one
// of the axes is at least 1/√m outside their span.
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
