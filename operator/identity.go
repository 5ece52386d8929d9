package operator

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Identity is z = W: observation in + j is W_ij, for an m×n W that is observed whole.
type Identity struct{ m, n int }

// NewIdentity is the identity of m×n matrices. It refuses an empty matrix, and one with more entries than an int can number.
func NewIdentity(m, n int) (*Identity, error) {
	if m < 1 || n < 1 {
		return nil, fmt.Errorf("operator: there is no %d×%d matrix", m, n)
	}
	if m > math.MaxInt/n {
		return nil, fmt.Errorf("operator: a %d×%d matrix has more entries than can be numbered", m, n)
	}
	return &Identity{m, n}, nil
}

// Dims is the size m×n of W and the number mn of observations.
func (o *Identity) Dims() (m, n, nobs int) { return o.m, o.n, o.m * o.n }

// IsIdentity says that the observations are the entries of W, row by row.
func (o *Identity) IsIdentity() bool { return true }

// FactoredTo is z = U Vᵀ from observation lo on: 2k flops an entry.
func (o *Identity) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	samples(z, lo, o.n, func(z []float64, first, last int) {
		clear(z)
		kernel.GemmNT(z, u.Data[first*u.Stride:last*u.Stride], v.Data, last-first, o.n, u.Stride)
	})
}

// AtomTo is z = a from observation lo on.
func (o *Identity) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	for e, x := range a.Vals {
		if at := int(a.Rows[e])*o.n + int(a.Cols[e]) - lo; at >= 0 && at < len(z) {
			z[at] += x
		}
	}
}

// Adjoint is r as an m×n matrix, not copied.
func (o *Identity) Adjoint(r []float64) gcg.Map { return &dense{o.m, o.n, r} }

// Cells says that the observations are all entries of W in the order of rows, which nil slices stand for.
func (o *Identity) Cells() (ptr []int64, cols []int32, ok bool) { return nil, nil, true }
