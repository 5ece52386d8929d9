package operator

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"gonum.org/v1/gonum/mat"
)

// Sandwich is z = L W R for matrices L (p×m) and R (n×r): observation i·r + c is (L W R)_ic. With L = R = D it is the D W D of
// selections of rows and columns [Cheung15 eq 41]. Nothing larger than L, R, W and z is formed. A W of few rows that are not 0
// costs products of so many columns of L.
//
// Where only norms of residuals Y - z count, and Y = B R for some B, R may be replaced by any C with C Cᵀ = R Rᵀ, and Y by B C:
// C has n columns at most, however many R has. See Reduced.
type Sandwich struct {
	left, right *dense
}

// NewSandwich is z = L W R for row-major matrices L (p×m) and R (n×r), which are kept, not copied. It refuses empty matrices,
// slices of another length, and numbers that are not finite, whose place it names.
func NewSandwich(p, m int, left []float64, n, r int, right []float64) (*Sandwich, error) {
	for _, x := range []struct {
		name       string
		rows, cols int
		data       []float64
	}{{"left", p, m, left}, {"right", n, r, right}} {
		if x.rows < 1 || x.cols < 1 || len(x.data)/x.rows != x.cols || len(x.data)%x.rows != 0 {
			return nil, fmt.Errorf("operator: the %s matrix of a sandwich is %d×%d with %d numbers", x.name, x.rows, x.cols, len(x.data))
		}
		for e, v := range x.data {
			if v-v != 0 {
				return nil, fmt.Errorf("operator: the %s matrix of a sandwich is %v at row %d, column %d", x.name, v, e/x.cols+1, e%x.cols+1)
			}
		}
	}
	if r > math.MaxInt/p {
		return nil, fmt.Errorf("operator: %d rows of %d predictions are more than can be numbered", p, r)
	}
	return &Sandwich{&dense{p, m, left}, &dense{n, r, right}}, nil
}

// Dims is the size m×n of W and the number pr of observations.
func (o *Sandwich) Dims() (m, n, nobs int) { return o.left.n, o.right.m, o.left.m * o.right.n }

// Left is L, p×m and row-major, not copied.
func (o *Sandwich) Left() (p, m int, data []float64) { return o.left.m, o.left.n, o.left.x }

// Right is R, n×r and row-major, not copied.
func (o *Sandwich) Right() (n, r int, data []float64) { return o.right.m, o.right.n, o.right.x }

// FactoredTo is z = (L U)(Vᵀ R) from observation lo on.
func (o *Sandwich) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	r := o.right.n
	vr := memory.Zeros[float64](v.Stride * r)
	defer memory.Repay(vr)
	kernel.GemmTN(vr, v.Data, o.right.x, v.Stride, r, o.right.m)
	samples(z, lo, r, func(z []float64, first, last int) {
		lu := memory.Zeros[float64]((last - first) * u.Stride)
		defer memory.Repay(lu)
		kernel.GemmNN(lu, o.left.x[first*o.left.n:last*o.left.n], u.Data, last-first, u.Stride, o.left.n)
		clear(z)
		kernel.GemmNN(z, lu, vr, last-first, r, u.Stride)
	})
}

// AtomTo is z = L a R from observation lo on. A sparse a is gathered into its rows that are not 0.
func (o *Sandwich) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	n, r := o.right.m, o.right.n
	rows, w := o.gathered(a)
	defer memory.Repay(w)
	samples(z, lo, r, func(z []float64, first, last int) {
		count := last - first
		lw, some := memory.Zeros[float64](count*n), o.columnsOf(rows, first, last)
		defer memory.Repay(lw)
		defer memory.Repay(some)
		kernel.GemmNN(lw, some, w, count, n, len(rows))
		clear(z)
		kernel.GemmNN(z, lw, o.right.x, count, r, n)
	})
}

// gathered are the rows of a sparse atom that have entries, in the order of their first, and these rows as a matrix, which the
// caller repays.
func (o *Sandwich) gathered(a *gcg.Atom) (rows []int32, w []float64) {
	n := o.right.m
	place := make([]int32, o.left.n) // 1 plus the place of a row among those
	for _, i := range a.Rows {
		if place[i] == 0 {
			rows = append(rows, i)
			place[i] = int32(len(rows))
		}
	}
	w = memory.Zeros[float64](len(rows) * n)
	for e, x := range a.Vals {
		w[int(place[a.Rows[e]]-1)*n+int(a.Cols[e])] += x
	}
	return rows, w
}

// columnsOf gathers the given columns of rows first ≤ i < last of L. The caller repays it.
func (o *Sandwich) columnsOf(columns []int32, first, last int) []float64 {
	some := memory.Borrow[float64]((last - first) * len(columns))
	for i := first; i < last; i++ {
		from, to := o.left.row(i), some[(i-first)*len(columns):]
		for t, j := range columns {
			to[t] = from[j]
		}
	}
	return some
}

// Adjoint is G = Lᵀ Z Rᵀ (m×n), Z being r as a p×r matrix. It is formed when it is first used: 2pn(r+m) flops.
func (o *Sandwich) Adjoint(r []float64) gcg.Map {
	m, n, _ := o.Dims()
	return &formed{m: m, n: n, form: func() *dense {
		p := o.left.m
		zr, g := memory.Zeros[float64](p*n), &dense{m, n, make([]float64, m*n)}
		defer memory.Repay(zr)
		kernel.GemmNT(zr, r, o.right.x, p, n, o.right.n)
		kernel.GemmTN(g.x, o.left.x, zr, m, n, p)
		return g
	}}
}

// Reduced is a C (n×n) with C Cᵀ = R Rᵀ for a row-major R (n×r): Q diag(√b) of the eigendecomposition R Rᵀ = Q diag(b) Qᵀ, of
// n²r flops. Its rounding is that of R Rᵀ, about 1e-16 ‖R‖² in a squared loss.
func Reduced(n, r int, right []float64) (c []float64) {
	gram := mat.NewSymDense(n, nil)
	for i := range n {
		for j := i; j < n; j++ {
			gram.SetSym(i, j, kernel.Dot(right[i*r:(i+1)*r], right[j*r:(j+1)*r]))
		}
	}
	values, q := linalg.SymEigen(gram, true)
	c = make([]float64, n*n)
	for i := range n {
		for j, b := range values {
			c[i*n+j] = q.At(i, j) * math.Sqrt(math.Max(b, 0))
		}
	}
	return c
}
