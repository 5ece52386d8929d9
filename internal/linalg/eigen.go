package linalg

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/lapack"
	"gonum.org/v1/gonum/lapack/gonum"
	"gonum.org/v1/gonum/mat"
)

// SymEigen is the eigendecomposition S = Q diag(values) Qᵀ of a symmetric n×n matrix, values ascending; Q is nil if it is not
// wanted. It always returns: where the QL iteration gives up, Jacobi's rotations take its place. Of a matrix with NaN or
// infinite entries, which has no decomposition, the values are NaN and Q is the identity, so that whoever works with the
// result meets NaN and not a panic.
func SymEigen(s *mat.SymDense, vectors bool) (values []float64, q *mat.Dense) {
	n := s.SymmetricDim()
	full := mat.NewDense(n, n, nil)
	full.Copy(s)
	exponent, ok := toUnit(full)
	if !ok {
		return nans(n), identity(n, vectors)
	}
	unit := mat.NewSymDense(n, full.RawMatrix().Data)
	if vectors {
		values, q = eigenvectors(unit)
	} else {
		values = eigenvalues(unit)
	}
	for i := range values {
		values[i] = math.Ldexp(values[i], exponent)
	}
	return values, q
}

func eigenvectors(s *mat.SymDense) ([]float64, *mat.Dense) {
	d, e, q := tridiagonal(s, true)
	n := len(d)
	z := make([][]float64, n)
	for i := range z {
		z[i] = mat.Col(nil, i, q)
	}
	if !implicitQL(d, e, z) {
		return jacobiEigen(s)
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return compare(d[i], d[j]) })
	values := make([]float64, n)
	raw := q.RawMatrix()
	for to, from := range order {
		values[to] = d[from]
		for i, x := range z[from] {
			raw.Data[i*raw.Stride+to] = x
		}
	}
	return values, q
}

// tridiagonal is T = QᵀSQ with diagonal d and off-diagonal e; Q is nil if it is not wanted.
func tridiagonal(s *mat.SymDense, wanted bool) (d, e []float64, q *mat.Dense) {
	n := s.SymmetricDim()
	q = mat.NewDense(n, n, nil)
	q.Copy(s)
	raw := q.RawMatrix()
	d, e, tau, work := make([]float64, n), make([]float64, max(n-1, 0)), make([]float64, n), make([]float64, 64*n)
	impl := gonum.Implementation{}
	impl.Dsytrd(blas.Upper, n, raw.Data, raw.Stride, d, e, tau, work, len(work))
	if !wanted {
		return d, e, nil
	}
	impl.Dorgtr(blas.Upper, n, raw.Data, raw.Stride, tau, work, len(work))
	return d, e, q
}

// eigenvalues goes around mat.EigenSym without vectors: gonum's Dsterf panics where a tridiagonal block is below 1e-122, as
// those of products of rounding errors are.
func eigenvalues(s *mat.SymDense) []float64 {
	d, e, _ := tridiagonal(s, false)
	if !(gonum.Implementation{}).Dsteqr(lapack.EVCompNone, len(d), d, e, nil, 1, nil) {
		d, _ = jacobiEigen(s)
	}
	return d
}

// sweeps bounds those of Jacobi's methods, which converge quadratically: 6 to 10 are usual.
const sweeps = 60

// jacobiEigen is eigenvectors by cyclic rotations [Golub and Van Loan, Matrix Computations, 8.5], about 20 times slower than QL.
func jacobiEigen(s *mat.SymDense) ([]float64, *mat.Dense) {
	n := s.SymmetricDim()
	a, q := mat.DenseCopyOf(s), identity(n, true)
	for range sweeps {
		rotated := false
		for i := range n {
			for j := i + 1; j < n; j++ {
				rotated = annihilate(a, q, i, j) || rotated
			}
		}
		if !rotated {
			break
		}
	}
	order, values := make([]int, n), make([]float64, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, j int) int { return compare(a.At(i, i), a.At(j, j)) })
	sorted := mat.NewDense(n, n, nil)
	for to, from := range order {
		values[to] = a.At(from, from)
		sorted.SetCol(to, mat.Col(nil, from, q))
	}
	return values, sorted
}

// annihilate rotates rows and columns i and j of a so that a_ij vanishes, and the columns of q with them. It reports whether
// a_ij was more than rounding.
func annihilate(a, q *mat.Dense, i, j int) bool {
	x, y, off := a.At(i, i), a.At(j, j), a.At(i, j)
	if math.Abs(off) <= 1e-17*(math.Abs(x)+math.Abs(y)) || off == 0 {
		return false
	}
	c, s := rotation(x, y, off)
	n, _ := a.Dims()
	for k := range n {
		u, v := a.At(k, i), a.At(k, j)
		a.Set(k, i, c*u-s*v)
		a.Set(k, j, s*u+c*v)
		u, v = q.At(k, i), q.At(k, j)
		q.Set(k, i, c*u-s*v)
		q.Set(k, j, s*u+c*v)
	}
	for k := range n {
		u, v := a.At(i, k), a.At(j, k)
		a.Set(i, k, c*u-s*v)
		a.Set(j, k, s*u+c*v)
	}
	a.Set(i, j, 0)
	a.Set(j, i, 0)
	return true
}

// rotation is the cosine and the sine of the smaller angle that diagonalises [x off; off y].
func rotation(x, y, off float64) (c, s float64) {
	half := (y/2 - x/2) / off
	t := 1 / (math.Abs(half) + math.Hypot(1, half))
	if half < 0 {
		t = -t
	}
	c = 1 / math.Sqrt(1+t*t)
	return c, t * c
}

func compare(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// toUnit multiplies a by the power of two that brings its largest entry into [½, 1), far from where squares overflow or
// underflow; 2^exponent takes it back. It is not ok where there are NaN or infinite entries.
func toUnit(a *mat.Dense) (exponent int, ok bool) {
	var largest float64
	data := a.RawMatrix().Data
	for _, x := range data {
		if x = math.Abs(x); !(x <= largest) {
			largest = x
			if math.IsNaN(x) || math.IsInf(x, 1) {
				return 0, false
			}
		}
	}
	_, exponent = math.Frexp(largest)
	half := math.Ldexp(1, -exponent/2) // twice, for 2^-exponent may be out of range
	rest := math.Ldexp(1, exponent/2-exponent)
	for i, x := range data {
		data[i] = x * half * rest
	}
	return exponent, true
}

func nans(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = math.NaN()
	}
	return x
}

// identity is the n×n identity, or nil where it is not wanted.
func identity(n int, wanted bool) *mat.Dense {
	if !wanted {
		return nil
	}
	q := mat.NewDense(n, n, nil)
	for i := range n {
		q.Set(i, i, 1)
	}
	return q
}
