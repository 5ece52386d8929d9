package solver

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"gonum.org/v1/gonum/mat"
)

// A wholeHessian is H = Aᵀ∇²L A on all entries of a small W, less what an intercept absorbs: where features are alike, conjugate gradients
// take hundreds of products with the data at a point, and this is formed at the price of tens. Products with it are exact, (mn)² flops and
// 8(mn)² bytes each.
type wholeHessian struct {
	m, n   int
	stride int
	h      []float64 // by entries in rows of W, and constants after them
}

const (
	maxWhole       = 2500    // entries of W: 50 MB
	maxWholeValues = 1 << 24 // values of the features, which are copied by columns
)

// A wholePrice tells when H is worth forming: once products at a point have cost as much, and at the next points at once.
type wholePrice struct {
	known   bool
	price   int          // products with the data, or 0 where H is not to be formed
	columns []gcg.Column // that H is formed of, once it was
}

// whole is H at a point if that is formed by now; it counts a product.
func (g *genericModel) whole(at *modelPoint) *wholeHessian {
	if at.whole != nil {
		return at.whole
	}
	c := &g.formed
	if !c.known {
		c.known, c.price = true, wholeProducts(g.p, at.s.W.Rank())
	}
	if at.products++; c.price == 0 || c.columns == nil && at.products <= c.price {
		return nil
	}
	if c.columns == nil {
		c.columns = wholeColumns(g.p, at.s.Intercept != nil)
	}
	at.whole = newWholeHessian(g.p, at.s, c.columns)
	return at.whole
}

// wholeProducts is about how many products with the data, at rank k, forming H costs: of dense features and a loss that couples
// the classes of a row; 0 elsewhere.
func wholeProducts(p *gcg.Problem, k int) int {
	op, ok := p.Operator.(gcg.ColumnOperator)
	m, n, nobs := p.Operator.Dims()
	if !ok || gcg.Separable(p.Loss) || n != p.Loss.Stride() || m*n > maxWhole || m*(nobs/n) > maxWholeValues ||
		p.Intercept && !p.Places().ByColumn(n) {
		return 0
	}
	if _, ok := p.Operator.(gcg.HessianOperator); !ok || !allDense(p, op.Columns([]int32{0}, []int32{0})) {
		return 0
	}
	byClass, byFeature := formTimes(m*n, m, n)
	return 1 + int(min(byClass, byFeature)/float64(2*k*(2*m+4*n)))
}

// wholeColumns are those of all entries, and of an intercept's constants, as those of one more feature which is 1.
func wholeColumns(p *gcg.Problem, intercept bool) []gcg.Column {
	m, n, nobs := p.Operator.Dims()
	rows, cols := make([]int32, m*n), make([]int32, m*n)
	for i := range rows {
		rows[i], cols[i] = int32(i/n), int32(i%n)
	}
	columns := p.Operator.(gcg.ColumnOperator).Columns(rows, cols)
	if intercept {
		one := slices.Repeat([]float64{1}, nobs/n)
		for c := range n {
			columns = append(columns, gcg.Column{Values: one, Offset: c, Stride: n})
		}
	}
	return columns
}

func newWholeHessian(p *gcg.Problem, s *gcg.State, columns []gcg.Column) *wholeHessian {
	m, n, _ := p.Operator.Dims()
	all := partsOf(oneGroup(len(columns)))
	all.complete(p, s, columns, 0)
	w := &wholeHessian{m, n, len(columns), all.hess[0]}
	if s.Intercept != nil {
		w.absorb(p, all.members[0][:m*n])
	}
	return w
}

// absorb takes off the rows of entries what the constants after them absorb.
func (w *wholeHessian) absorb(p *gcg.Problem, entries []int) {
	t := len(entries)
	inner, v := mat.NewSymDense(w.n, nil), make([]float64, 0, t*w.n)
	for i := range w.n {
		for j := range i + 1 {
			inner.SetSym(i, j, w.row(t + i)[t+j])
		}
	}
	for i := range entries {
		v = append(v, w.row(i)[t:]...)
	}
	a := &absorber{e: p.Places(), inverse: pseudoInverse(inner)}
	a.profile(v, t, func(i int) (h []float64, columns []int) { return w.row(i), entries })
}

func (w *wholeHessian) row(i int) []float64 { return w.h[i*w.stride : (i+1)*w.stride] }

// productTo writes gu = E V and gv = Eᵀ U, E = H (dU Vᵀ + U dVᵀ).
func (w *wholeHessian) productTo(gu, gv, u, v, du, dv *gcg.Factor) {
	d := gcg.Mul(du, transposed(v, w.n))
	d.AddMul(u, transposed(dv, w.n))
	x := make([]float64, w.m*w.n)
	for i := range w.m {
		copy(x[i*w.n:(i+1)*w.n], d.Row(i))
	}
	e := gcg.NewFactor(w.m, w.n)
	blocks := par.Grain(w.m, max(1, wholeGrain/(w.n*len(x))), 64)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, w.m)
		for i := lo; i < hi; i++ {
			for j := range w.n {
				e.Row(i)[j] = kernel.Dot(w.row(i*w.n + j)[:len(x)], x)
			}
		}
	})
	clear(gu.Data)
	gu.AddMul(e, padded(v))
	copy(gv.Data, gcg.TMul(e, u).Data)
}

// wholeGrain is how many entries of H are worth a goroutine.
const wholeGrain = 1 << 15
