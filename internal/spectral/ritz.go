package spectral

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A ritz is the eigendecomposition of H of a krylov. The roots of the eigenvalues, the Ritz values, approximate singular
// values of D from below. Of the eigenvectors the bounds need only the rows of the first and of the last block.
type ritz struct {
	values []float64  // the Ritz values, descending
	ends   *mat.Dense // the rows of the eigenvectors for Y₁ and then for Y_l; a column for each eigenvalue, ascending
	from   *krylov
}

// ritz decomposes H after the present steps.
func (b *krylov) ritz() ritz {
	n := len(b.h)
	r := ritz{from: b}
	if n == 0 {
		return r
	}
	rows := make([]int, 0, b.first+b.last)
	for i := range b.first {
		rows = append(rows, i)
	}
	for i := range b.last {
		rows = append(rows, n-b.last+i)
	}
	squares, ends := linalg.SymEigenRows(b.matrix(), rows)
	r.ends = ends
	for i := range squares {
		r.values = append(r.values, math.Sqrt(math.Max(squares[n-1-i], 0)))
	}
	return r
}

// top is the largest Ritz value, or 0 where there is none.
func (r ritz) top() float64 { return r.at(0) }

// at is the i-th Ritz value from the top, or 0 where there are fewer.
func (r ritz) at(i int) float64 {
	if i >= len(r.values) {
		return 0
	}
	return r.values[i]
}

// last is entry j of the last block of the eigenvector for Ritz value i.
func (r ritz) last(j, i int) float64 { return r.ends.At(r.from.first+j, len(r.values)-1-i) }

// residual is ‖Dᵀx - θy‖ of the i-th Ritz pair: ‖R vₗ‖/θ for the last block vₗ of its eigenvector.
func (r ritz) residual(i int) float64 {
	b := r.from
	if b.done || r.values[i] == 0 {
		return 0
	}
	var s float64
	for row := range b.remainder.Rows {
		var x float64
		for j := range b.last {
			x += b.remainder.Row(row)[j] * r.last(j, i)
		}
		s += x * x
	}
	return math.Sqrt(s) / r.values[i]
}

// remainders is A = DᵀX - YΘ (n×count) of the leading Ritz pairs: each column is Y_{l+1} R vₗ/θ for the last block vₗ of the
// eigenvector.
func (r ritz) remainders(count int) *gcg.Factor {
	b := r.from
	if b.done {
		return gcg.Like[float64](b.d.structure.right, count)
	}
	last := gcg.Small(b.last, count)
	for c := range count {
		for j := range b.last {
			last.Row(j)[c] = r.last(j, c) / r.values[c]
		}
	}
	return gcg.Mul(b.next, gcg.Mul(b.remainder, last))
}

// right is the right Ritz vectors y = Y v (n×count) of count pairs, beginning with the pair from.
func (r ritz) right(from, count int) *gcg.Factor {
	b, n := r.from, len(r.values)
	if b.vectors == nil {
		_, b.vectors = linalg.SymEigen(b.matrix(), true)
	}
	y := gcg.Like[float64](b.d.structure.right, count)
	for t, panel := range b.basis {
		coef := gcg.Small(b.panel, count)
		for i := range min(b.panel, n-t*b.panel) {
			for c := range count {
				coef.Row(i)[c] = b.vectors.At(t*b.panel+i, n-1-from-c)
			}
		}
		y.AddMul(panel, coef)
	}
	return y
}

// pairs are the leading Ritz pairs: y = Y v (n×count), x = D y/‖D y‖ (m×count), and theta with the norms ‖D y‖.
func (r ritz) pairs(count int) (x, y *gcg.Factor, theta []float64) {
	y = r.right(0, count)
	x = r.from.d.mul(y)
	theta = x.ColumnNorms()
	inverse := make([]float64, x.Stride)
	for c, norm := range theta {
		if inverse[c] = 1; norm > 0 {
			inverse[c] = 1 / norm
		}
	}
	x.ScaleColumns(inverse)
	return x, y, theta
}

// image is the leading right Ritz vectors Y (n×count), and orthonormal X (m×r, r ≤ count) and T, a Small(r, count), with D Y = X
// T. Where D is small beside G, rounding gives D Y a part in the span of P. So X is made orthogonal to P once more.
func (r ritz) image(count int) (x, y, t *gcg.Factor) {
	y = r.right(0, count)
	z := r.from.d.mul(y)
	x, t = gcg.Orthonormal(z, rounding.Null)
	gcg.Repay(z)
	if p := r.from.d.p; p != nil {
		x.Project(p)
		dropNoise(x, 1e-3)
		twice, again := gcg.Orthonormal(x, 1e-3)
		gcg.Repay(x)
		x, t = twice, gcg.Mul(again, t)
	}
	return x, y, t
}
