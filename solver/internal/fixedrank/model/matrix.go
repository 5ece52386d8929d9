package model

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
	"gonum.org/v1/gonum/mat"
)

// A Matrix is H = Aᵀ∇²L A on all entries of an m×n W, less what an intercept absorbs. Where features are alike conjugate
// gradients take hundreds of products with the data at a point, and forming H costs as much as tens.
type Matrix struct {
	M, N   int
	stride int         // of h: mn, and n more where there are constants
	h      []float64   // by entries in rows of W, and constants after them
	Metric *gcg.Factor // XᵀX of the features, m×m, in the scale of H
}

// columnsOf are the columns of A for all entries of W, and for the constants of an intercept as those of one more feature, 1.
func columnsOf(p *view.Problem) []gcg.Column {
	m, n, nobs := p.Operator.Dims()
	rows, cols := make([]int32, m*n), make([]int32, m*n)
	for i := range rows {
		rows[i], cols[i] = int32(i/n), int32(i%n)
	}
	columns := p.Columns.Columns(rows, cols)
	if p.Intercept {
		one := slices.Repeat([]float64{1}, nobs/n)
		for c := range n {
			columns = append(columns, gcg.Column{Values: one, Offset: c, Stride: n})
		}
	}
	return columns
}

// features is XᵀX, of features less their means where there is an intercept; of many features it is the diagonal of that.
func features(p *view.Problem) *gcg.Factor {
	m, _, nobs := p.Operator.Dims()
	gram, left, _ := p.Kronecker.Kronecker(slices.Repeat([]float64{1}, nobs), p.Intercept)
	if gram != nil {
		return factor.Trimmed(gram, m)
	}
	f := gcg.NewFactor(m, m)
	for i, x := range left {
		f.Row(i)[i] = x
	}
	return f
}

// newMatrix is that of p, which has the second derivatives that models take, at the state.
func newMatrix(p *view.Problem, s *gcg.State, f *FormPolicy) *Matrix {
	m, n, _ := p.Operator.Dims()
	all := hessian.NewParts(p, s, f.columns)
	all.From(p, s, f.columns).Complete(0)
	w := &Matrix{m, n, len(f.columns), all.Whole(), f.gram.Clone()}
	if s.Intercept != nil {
		w.absorb(p, hessian.OneGroup(m * n).Members[0])
	}
	if all := float64(n) * f.gram.Trace(); all > 0 {
		w.Metric.Scale(math.Max(w.trace(), 0) / all)
	}
	return w
}

// trace is that of H, without the constants.
func (w *Matrix) trace() (sum float64) {
	for i := range w.M * w.N {
		sum += w.Row(i)[i]
	}
	return sum
}

// absorb takes what the constants absorb off the rows of entries.
func (w *Matrix) absorb(p *view.Problem, entries []int) {
	t := len(entries)
	constants, v := mat.NewSymDense(w.N, nil), make([]float64, 0, t*w.N)
	for i := range w.N {
		for j := range i + 1 {
			constants.SetSym(i, j, w.Row(t + i)[t+j])
		}
	}
	for i := range entries {
		v = append(v, w.Row(i)[t:]...)
	}
	a := &hessian.Absorber{E: p.InterceptMap(), Inverse: hessian.PseudoInverse(constants)}
	a.Profile(v, t, func(i int) (h []float64, columns []int) { return w.Row(i), entries })
}

// Row is a row of H, with the constants behind the entries.
func (w *Matrix) Row(i int) []float64 { return w.h[i*w.stride : (i+1)*w.stride] }
