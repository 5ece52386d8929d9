package linalg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// SymEigen is the eigendecomposition S = Q diag(values) Qᵀ of a symmetric n×n matrix, values ascending; Q is nil where no
// vectors are asked for. It always returns: where the QL iteration gives up, Jacobi's rotations take its place. A matrix with
// NaN or infinite entries has no decomposition; its values are NaN and its Q the identity, so that a caller who works with
// the result meets NaN and not a panic.
func SymEigen(s *mat.SymDense, vectors bool) (values []float64, q *mat.Dense) {
	if !vectors {
		return SymEigenRows(s, nil)
	}
	return SymEigenRows(s, count(s.SymmetricDim()))
}

// SymEigenRows is SymEigen with only the given rows of Q, in their order; Q is nil for none. A few rows take a third of the
// time of all.
func SymEigenRows(s *mat.SymDense, rows []int) (values []float64, q *mat.Dense) {
	n := s.SymmetricDim()
	a := bothTriangles(s)
	defer memory.Repay(a)
	exponent, ok := toUnit(a)
	if !ok {
		return nans(n), rowsOf(identity(n), rows)
	}
	t := reduce(a, n)
	defer t.repay()
	z := t.columns(rows)
	defer repay(z)
	if implicitQL(t.d, t.e, z) {
		values, q = t.sorted(z, len(rows))
	} else {
		a := bothTriangles(s) // reduce has overwritten it
		defer memory.Repay(a)
		toUnit(a)
		values, q = jacobiEigen(a, n)
		q = rowsOf(q, rows)
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], exponent)
	}
	return values, q
}

// VectorsByRow is the eigendecomposition S = Zᵀ diag(values) Z of a symmetric n×n matrix, values ascending, with eigenvectors
// in the rows of Z. Both triangles of S are given, and S and Z are stored by rows of n entries, padded to a multiple of 8. It
// is SymEigen without its copies, which at a hundred rows are a fifth of its time.
func VectorsByRow(s []float64, n int) (values, z []float64) {
	a, st := memory.Borrow[float64](len(s)), stride(n)
	defer memory.Repay(a)
	copy(a, s)
	z = memory.Room[float64](n * st)
	exponent, ok := toUnit(a)
	if !ok {
		clear(z)
		for i := range n {
			z[i*st+i] = 1
		}
		return nans(n), z
	}
	t := reduce(a, n)
	defer t.repay()
	rows := t.columns(count(n))
	defer repay(rows)
	if implicitQL(t.d, t.e, rows) {
		values = make([]float64, n)
		for to, from := range t.ascending() {
			values[to] = t.d[from]
			for _, p := range rows {
				copy(z[to*st+p.first:(to+1)*st], p.z[from*p.width:(from+1)*p.width])
			}
		}
	} else {
		copy(a, s) // reduce has overwritten it
		toUnit(a)
		var q *mat.Dense
		values, q = jacobiEigen(a, n)
		clear(z)
		for i := range n {
			mat.Col(z[i*st:i*st+n], i, q)
		}
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], exponent)
	}
	return values, z
}

// bothTriangles is S by rows of stride(n) entries, in borrowed memory.
func bothTriangles(s *mat.SymDense) []float64 {
	raw := s.RawSymmetric()
	n, st := raw.N, stride(raw.N)
	a := zeros(n * st)
	for i := range n {
		from := raw.Data[i*raw.Stride:]
		copy(a[i*st+i:i*st+n], from[i:n])
		for j := i + 1; j < n; j++ {
			a[j*st+i] = from[j]
		}
	}
	return a
}

// zeros is n zeros in borrowed memory.
func zeros(n int) []float64 {
	x := memory.Borrow[float64](n)
	clear(x)
	return x
}

// ascending lists the places of the values in t.d in ascending order of the values.
func (t *tridiagonal) ascending() []int {
	order := count(t.n)
	slices.SortStableFunc(order, func(i, j int) int { return compare(t.d[i], t.d[j]) })
	return order
}

// sorted is the values in ascending order, and q with the rows of z, in the same order, as its columns; q is nil for 0 rows.
func (t *tridiagonal) sorted(z []panel, rows int) (values []float64, q *mat.Dense) {
	d, order := t.d, t.ascending()
	values = make([]float64, len(d))
	for to, from := range order {
		values[to] = d[from]
	}
	if rows == 0 {
		return values, nil
	}
	q = mat.NewDense(rows, len(d), nil)
	data := q.RawMatrix().Data
	par.For(len(z), func(i int) {
		p := z[i]
		for to, from := range order {
			for j, x := range p.z[from*p.width : from*p.width+p.columns] {
				data[(p.first+j)*len(d)+to] = x
			}
		}
	})
	return values, q
}

// count is 0, 1, …, n-1.
func count(n int) []int {
	x := make([]int, n)
	for i := range x {
		x[i] = i
	}
	return x
}

// rowsOf is the given rows of q, or nil where there are none.
func rowsOf(q *mat.Dense, rows []int) *mat.Dense {
	if len(rows) == 0 {
		return nil
	}
	_, n := q.Dims()
	x := mat.NewDense(len(rows), n, nil)
	for to, from := range rows {
		x.SetRow(to, q.RawRowView(from))
	}
	return x
}

// compare is -1, 0 or 1 as x is less than, equal to or more than y.
func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// toUnit multiplies data by the power of two that brings its largest entry by size into [½, 1), far from where squares
// overflow or underflow; multiplying by 2^exponent undoes it. It reports false, and leaves data alone, where there are NaN or
// infinite entries.
func toUnit(data []float64) (exponent int, ok bool) {
	largest := MaxAbs(data)
	if math.IsNaN(largest) || math.IsInf(largest, 1) {
		return 0, false
	}
	_, exponent = math.Frexp(largest)
	half := math.Ldexp(1, -exponent/2) // in two factors, as 2^-exponent may be out of range
	rest := math.Ldexp(1, exponent/2-exponent)
	kernel.Scale(half, data)
	kernel.Scale(rest, data)
	return exponent, true
}

// nans is n NaN.
func nans(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// identity is the n×n identity.
func identity(n int) *mat.Dense {
	q := mat.NewDense(n, n, nil)
	for i := range n {
		q.Set(i, i, 1)
	}
	return q
}
