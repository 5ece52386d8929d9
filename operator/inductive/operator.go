// Package inductive observes entries of X = L W Rᵀ, whose rows and columns have features beside indicators of their own. It is
// completion with side information.
package inductive

import (
	"fmt"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Entries observe entries of X (m×n) by single passes over the data: operator.Sampling, without scales.
type Entries interface {
	gcg.Operator
	// Cells are the observations of each row i, ptr[i] … ptr[i+1]-1, and their columns; false where they are scaled.
	Cells() (ptr []int64, cols []int32, ok bool)
	// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r².
	ResidualTo(r, y []float64, u, v *gcg.Factor) float64
	// CurvatureTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r).
	CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor)
	// Curvature32To is CurvatureTo in float32.
	Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32)
	// NormalTo writes gu = A*(A(X Vᵀ)) V.
	NormalTo(gu, x, v *gcg.Factor)
	// Normal32To is NormalTo in float32.
	Normal32To(gu, x, v *gcg.Factor32)
	// DiagonalTo writes du = A*A V∘V and dv = (A*A)ᵀ U∘U, from the squares of the entries of U and V; dv may be nil.
	DiagonalTo(du, dv, u2, v2 *gcg.Factor)
}

// Operator reads entries of X = L W Rᵀ, for L = [diag(α) F] (m×(m+p)) and R = [diag(β) G] (n×(n+q)):
//
//	z_ij = Σ over the four blocks of W:   αᵢ W_ij βⱼ + αᵢ (W_iG g_j) + (f_i W_Fj) βⱼ + f_iᵀ W_FG g_j
//
// for features f_i of row i and g_j of column j. A row without an observation still has its last two terms. The least ‖W‖_* of
// an X is ‖(LLᵀ)^-½ X (RRᵀ)^-½‖_*: the trace norm of X between the kernels diag(α²) + FFᵀ and diag(β²) + GGᵀ [Abernethy09 §3].
//
// Its passes are those of the entries, with products with F and G before and after.
type Operator struct {
	entries     Entries
	left, right *Side
	lister      Lister // nil where no side has lists
	ptr         []int64
	cols        []int32
}

// New observes entries of L W Rᵀ, which have no scales of their own. Lists are of what is observed: NewListed has others.
// Slices are kept, not copied. It refuses sides of other sizes than the entries' and numbers that are not finite.
func New(entries Entries, left, right *Side) (*Operator, error) {
	return NewListed(entries, nil, left, right)
}

// NewListed is New with lists of cells of their own, such as those of the entries and more; nil takes those of the entries.
func NewListed(entries Entries, cells Lister, left, right *Side) (*Operator, error) {
	m, n, _ := entries.Dims()
	ptr, cols, ok := entries.Cells()
	switch {
	case !ok || ptr == nil:
		return nil, fmt.Errorf("operator: features need entries that are listed, and have no scales of their own")
	case left.N != m || right.N != n:
		return nil, fmt.Errorf("operator: features of %d rows and %d columns for entries of %d×%d", left.N, right.N, m, n)
	}
	for _, s := range []*Side{left, right} {
		if err := s.check(); err != nil {
			return nil, err
		}
	}
	o := &Operator{entries: entries, left: left, right: right, ptr: ptr, cols: cols}
	if left.Listed == nil && right.Listed == nil {
		return o, nil
	}
	if o.lister = cells; cells == nil {
		if o.lister, ok = entries.(Lister); !ok {
			return nil, fmt.Errorf("operator: lists of what is observed need entries that multiply with them")
		}
	}
	if rows, cols, _ := o.lister.Dims(); rows != m || cols != n {
		return nil, fmt.Errorf("operator: lists of %d×%d cells for entries of %d×%d", rows, cols, m, n)
	}
	if left.Listed != nil && left.Lists != n || right.Listed != nil && right.Lists != m {
		return nil, fmt.Errorf("operator: lists of %d columns and %d rows for entries of %d×%d", left.Lists, right.Lists, m, n)
	}
	return o, nil
}

// Dims is the size (m+p)×(n+q) of W, and the number of observations.
func (o *Operator) Dims() (m, n, nobs int) { return o.left.Rows(), o.right.Rows(), len(o.cols) }

// AtomTo is z = A(a) from observation lo on. Each entry of a sparse atom is a pair of columns of L and R.
func (o *Operator) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		o.FactoredTo(z, lo, a.U, a.V)
		return
	}
	u, v := gcg.NewFactor(o.left.Rows(), len(a.Vals)), gcg.NewFactor(o.right.Rows(), len(a.Vals))
	for t, x := range a.Vals {
		u.Row(int(a.Rows[t]))[t], v.Row(int(a.Cols[t]))[t] = x, 1
	}
	o.FactoredTo(z, lo, u, v)
}

// ApplyTo is z = A(U Vᵀ) for all observations, of which L U and R V are made once.
func (o *Operator) ApplyTo(z []float64, u, v *gcg.Factor) {
	left, right := timesBoth(o, u, v)
	defer gcg.Repay(left, right)
	blocks := par.Grain(len(z), 1<<13, 1<<20)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(z))
		o.entries.FactoredTo(z[lo:hi], lo, left, right)
	})
}

// FactoredTo is z = A(U Vᵀ) from observation lo on. Only rows of L U and R V that it meets are made, unless they have lists.
func (o *Operator) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	hi := lo + len(z)
	if o.lister != nil {
		left, right := timesBoth(o, u, v)
		o.entries.FactoredTo(z, lo, left, right)
		gcg.Repay(left, right)
		return
	}
	left, right := gcg.Room[float64](o.left.N, u.K), gcg.Room[float64](o.right.N, v.K)
	defer gcg.Repay(left, right)
	for i := sort.Search(o.left.N, func(i int) bool { return o.ptr[i+1] > int64(lo) }); i < o.left.N && o.ptr[i] < int64(hi); i++ {
		rowTo(o.left, left.Row(i), u, i)
	}
	met := make([]bool, o.right.N)
	for _, j := range o.cols[lo:hi] {
		if !met[j] {
			met[j] = true
			rowTo(o.right, right.Row(int(j)), v, int(j))
		}
	}
	o.entries.FactoredTo(z, lo, left, right)
}

// Adjoint is Lᵀ G R, with the sparse G of the entries. It keeps r.
func (o *Operator) Adjoint(r []float64) gcg.Map { return &gradient{o, o.entries.Adjoint(r)} }

// gradient is Lᵀ G R.
type gradient struct {
	*Operator
	g gcg.Map
}

// Dims is m+p, n+q.
func (g *gradient) Dims() (m, n int) { return g.left.Rows(), g.right.Rows() }

// MulTo is dst = Lᵀ G R x.
func (g *gradient) MulTo(dst, x []float64) { vectorTo(g.MulBlockTo, dst, x) }

// TMulTo is dst = Rᵀ Gᵀ L y.
func (g *gradient) TMulTo(dst, y []float64) { vectorTo(g.TMulBlockTo, dst, y) }

// MulBlockTo is dst = Lᵀ G R x.
func (g *gradient) MulBlockTo(dst, x *gcg.Factor) {
	_, right := timesBoth[float64](g.Operator, nil, x)
	gx := gcg.Room[float64](g.left.N, x.K)
	defer gcg.Repay(right, gx)
	gcg.MulBlock(g.g, gx, right)
	transposeBoth(g.Operator, dst, nil, gx, nil)
}

// TMulBlockTo is dst = Rᵀ Gᵀ L y.
func (g *gradient) TMulBlockTo(dst, y *gcg.Factor) {
	left, _ := timesBoth[float64](g.Operator, y, nil)
	gy := gcg.Room[float64](g.right.N, y.K)
	defer gcg.Repay(left, gy)
	gcg.TMulBlock(g.g, gy, left)
	transposeBoth(g.Operator, nil, dst, nil, gy)
}

// BothTo is gv = Lᵀ G R v and gu = Rᵀ Gᵀ L u, in one pass over G.
func (g *gradient) BothTo(gv, gu, u, v *gcg.Factor) {
	left, right := timesBoth(g.Operator, u, v)
	forward, back := gcg.Both(g.g, left, right)
	transposeBoth(g.Operator, gv, gu, forward, back)
	gcg.Repay(left, right, forward, back)
}
