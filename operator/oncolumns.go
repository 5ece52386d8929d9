package operator

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
)

// OnColumns is W ↦ A(W_:J) for an A of m×k matrices and the columns J = from … from+k-1 of a wider m×n W. A Stack of them is
// several tasks under one gauge, each of its own rows, outputs and loss: with a loss.Softmax for each it is multinomial multitask
// learning [Dudik12 eq 2],
//
//	Σ_t (1/n_t) Σ_i [log Σ_l exp⟨x_i, W_:l⟩ - ⟨x_i, W_:y(i)⟩] + λ‖W‖_*,   i over the rows of task t, l over its columns
//
// It passes on no other capability of A: the constants of an intercept are those of the loss. It refuses columns that W has not.
func OnColumns(a gcg.Operator, from, n int) (gcg.Operator, error) {
	_, k, _ := a.Dims()
	if from < 0 || from+k > n {
		return nil, fmt.Errorf("operator: %d columns from column %d on are not among the %d of W", k, from, n)
	}
	return &onColumns{a, from, k, n}, nil
}

// onColumns is A on k of n columns.
type onColumns struct {
	a          gcg.Operator
	from, k, n int
}

// Dims is the size m×n of the wider W, and the number of A's observations.
func (o *onColumns) Dims() (m, n, nobs int) {
	m, _, nobs = o.a.Dims()
	return m, o.n, nobs
}

// rows are those of V that belong to the columns of A, not copied.
func (o *onColumns) rows(v *gcg.Factor) *gcg.Factor {
	return &gcg.Factor{Rows: o.k, K: v.K, Stride: v.Stride, Data: v.Data[o.from*v.Stride : (o.from+o.k)*v.Stride]}
}

// FactoredTo is A(U V_J:ᵀ) from observation lo on.
func (o *onColumns) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	o.a.FactoredTo(z, lo, u, o.rows(v))
}

// AtomTo is z = A(a_:J) from observation lo on.
func (o *onColumns) AtomTo(z []float64, lo int, a *gcg.Atom) {
	part := gcg.Atom{}
	if a.LowRank() {
		part.U, part.V = a.U, o.rows(a.V)
	}
	for e, j := range a.Cols {
		if j := int(j) - o.from; j >= 0 && j < o.k {
			part.Rows, part.Cols, part.Vals = append(part.Rows, a.Rows[e]), append(part.Cols, int32(j)), append(part.Vals, a.Vals[e])
		}
	}
	o.a.AtomTo(z, lo, &part)
}

// Adjoint is A*(r) in the columns of A, and 0 in the others.
func (o *onColumns) Adjoint(r []float64) gcg.Map { return &columnsMap{o, o.a.Adjoint(r)} }

// A columnsMap is a map of all columns that is 0 outside of those of A.
type columnsMap struct {
	o *onColumns
	g gcg.Map // m×k
}

// Dims is m×n.
func (g *columnsMap) Dims() (m, n int) {
	m, _ = g.g.Dims()
	return m, g.o.n
}

// MulTo is G x, of the part of x that belongs to the columns.
func (g *columnsMap) MulTo(dst, x []float64) { g.g.MulTo(dst, x[g.o.from:g.o.from+g.o.k]) }

// TMulTo is Gᵀ y, with zeros around it.
func (g *columnsMap) TMulTo(dst, y []float64) {
	clear(dst)
	g.g.TMulTo(dst[g.o.from:g.o.from+g.o.k], y)
}

// MulBlockTo is MulTo for the columns of X.
func (g *columnsMap) MulBlockTo(dst, x *gcg.Factor) { gcg.MulBlock(g.g, dst, g.o.rows(x)) }

// TMulBlockTo is TMulTo for the columns of Y.
func (g *columnsMap) TMulBlockTo(dst, y *gcg.Factor) {
	clear(dst.Data)
	gcg.TMulBlock(g.g, g.o.rows(dst), y)
}
