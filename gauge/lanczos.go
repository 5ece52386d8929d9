package gauge

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

type lanczosOptions struct {
	steps    int
	small    int // steps after which a proof is cheaper, or cutting out pairs is tried
	patience int // steps where no proof takes their place
	failure  float64
}

// starts is the number of random vectors in the first block: as many as the kernels handle in one stride.
const starts = 8

// panelWidth is the number of columns of the basis that are kept in one factor. What is not used yet of the last one is multiplied all the same, with
// 64 columns about a third of all in a run of a few dozen steps; wide ones take fewer passes over what is made orthogonal to them, which counts where that lies in memory.
func panelWidth(rows int) int {
	if rows <= 1<<13 {
		return 2 * starts
	}
	return 8 * starts
}

// A krylov is a block Lanczos factorization of DᵀD from random vectors: after l steps the orthonormal Y = [Y₁ … Y_l] has
//
//	DᵀD Y = Y H + Y_{l+1} [0 … 0 R]
//
// with H symmetric and block tridiagonal. D itself is m×n with n ≤ m, so that only short vectors are kept.
//
// Products with a block cost little more than with one vector, and it is far less likely that all starts miss a direction, see unseen.
type krylov struct {
	d       *complement
	panel   int           // columns of a panel
	basis   []*gcg.Factor // Y in panels; the columns of the last that are not used yet are zero
	count   int           // columns of Y
	first   int           // and of Y₁
	last    int           // and of Y_l
	next    *gcg.Factor   // Y_{l+1}
	current *gcg.Factor   // Y_l
	h       [][]float64   // column j of H down to its block's end
	rest    *gcg.Factor   // R
	w, z    *gcg.Factor   // of the last product
	vectors *mat.Dense    // of H in whole, once they are wanted
	steps   int
	done    bool // the Krylov space is invariant: H holds all that the start can see
	square  float64

	excluded struct{ x, above float64 } // by earlier steps, for the same event: singular values larger than that
}

// startKrylov draws the start from the complement.
func startKrylov(d *complement, seed uint64) *krylov {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	y := gcg.NewFactor(d.n, starts)
	for i := range y.Data {
		y.Data[i] = rng.NormFloat64()
	}
	b := &krylov{d: d, panel: panelWidth(d.n)}
	if d.dim <= 0 {
		b.done = true
		return b
	}
	d.right(y)
	once, _ := gcg.Orthonormal(y, 1e-12)
	d.right(once)
	b.next, _ = gcg.Orthonormal(once, 1e-6)
	gcg.Repay(y, once)
	b.first = b.next.K
	b.done = b.first == 0
	return b
}

// repay ends b.
func (b *krylov) repay() {
	gcg.Repay(b.basis...)
	gcg.Repay(b.next, b.current, b.w, b.z)
}

// extend takes steps until there are l of them. The basis is kept orthogonal in full: a lost orthogonality would make
// copies of converged pairs and void the bound.
func (b *krylov) extend(ctx context.Context, l int) error {
	for b.steps < l && !b.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.step()
	}
	return nil
}

// step takes out of DᵀD Y_l first what exact arithmetic has there, the parts along Y_l and Y_{l-1}, and then what rounding
// has left along the whole basis. In one pass the errors of the basis would grow from step to step.
func (b *krylov) step() {
	before, y := b.current, b.next
	b.vectors = nil
	b.append(y)
	w := b.product(y)
	recent := []*gcg.Factor{y}
	if before != nil {
		recent = append(recent, before)
	}
	along := w.ProjectAll(recent...)
	size := math.Sqrt(w.Dot(w))
	coef := w.ProjectAll(b.basis...)
	for j := range y.K {
		column := make([]float64, b.count)
		b.unpanel(column, coef, j)
		addColumn(column[b.count-y.K:], along[0], j)
		if before != nil {
			addColumn(column[b.count-y.K-before.K:], along[1], j)
		}
		b.h = append(b.h, column)
		b.square = math.Max(b.square, column[len(b.h)-1])
	}
	b.steps++
	dropNoise(w, 1e-14*b.square)
	q, c := gcg.Orthonormal(w, 1e-12)
	if cancelled(size, c) {
		q.ProjectAll(b.basis...)
		twice, again := gcg.Orthonormal(q, 1e-3)
		gcg.Repay(q)
		q, c = twice, gcg.Mul(again, c)
	}
	gcg.Repay(before)
	b.current, b.next, b.rest = y, q, c
	b.done = q.K == 0 || b.count >= b.d.dim
}

// product is DᵀD y, until the next one.
func (b *krylov) product(y *gcg.Factor) *gcg.Factor {
	if b.w == nil || b.w.K != y.K {
		b.w, b.z = gcg.NewFactor(b.d.n, y.K), gcg.NewFactor(b.d.m, y.K)
	}
	b.d.gramTo(b.w, b.z, y)
	return b.w
}

// addColumn adds column j of a Small to the first entries of dst.
func addColumn(dst []float64, s *gcg.Factor, j int) {
	for i := range min(len(dst), s.Rows) {
		dst[i] += s.Row(i)[j]
	}
}

// cancelled says that the basis has lost digits in w = q c to what was taken out of it: rounding there is about
// ε·before/σ_min(c).
func cancelled(before float64, c *gcg.Factor) bool {
	if c.K == 0 {
		return true
	}
	values, _ := gcg.TMul(c, c).SymEigen(false)
	return !(before*before < 1e6*values[0])
}

// append adds a block to the panels.
func (b *krylov) append(y *gcg.Factor) {
	for from := 0; from < y.K; {
		at := b.count % b.panel
		if at == 0 {
			b.basis = append(b.basis, gcg.NewFactor(y.Rows, b.panel))
		}
		panel, n := b.basis[len(b.basis)-1], min(y.K-from, b.panel-at)
		panel.RowBlocks(func(lo, hi int) {
			for i := lo; i < hi; i++ {
				copy(panel.Row(i)[at:at+n], y.Row(i)[from:from+n])
			}
		})
		from, b.count = from+n, b.count+n
	}
	b.last = y.K
}

func (b *krylov) unpanel(dst []float64, coef []*gcg.Factor, j int) {
	for i := range dst {
		dst[i] = coef[i/b.panel].Row(i % b.panel)[j]
	}
}

// dropNoise clears columns that are rounding errors.
func dropNoise(w *gcg.Factor, floor float64) {
	squares := gcg.TMul(w, w).Diagonal()
	var col []float64
	for c, square := range squares {
		if linalg.SquareInRange(square) && square > floor*floor {
			continue
		}
		if col == nil {
			col = make([]float64, w.Rows)
		}
		if w.ColumnTo(col, c); gcg.Norm(col) <= floor {
			w.SetColumn(c, col, 0)
		}
	}
}

// A ritz is the eigendecomposition of H: values are the roots of its eigenvalues, descending, approximations of singular
// values of D from below. Of the eigenvectors bounds want the rows of the first and of the last block alone.
type ritz struct {
	values []float64
	ends   *mat.Dense // those rows, in the order of H's eigenvalues, ascending
	from   *krylov
}

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

// matrix is H.
func (b *krylov) matrix() *mat.SymDense {
	n := len(b.h)
	sym := mat.NewSymDense(n, nil)
	for j, column := range b.h {
		for i := 0; i <= j; i++ {
			sym.SetSym(i, j, column[i])
		}
	}
	return sym
}

func (r ritz) top() float64 { return r.at(0) }

func (r ritz) at(i int) float64 {
	if i >= len(r.values) {
		return 0
	}
	return r.values[i]
}

// last is entry j of the last block of vector i.
func (r ritz) last(j, i int) float64 { return r.ends.At(r.from.first+j, len(r.values)-1-i) }

// residual is ‖Dᵀx - θy‖ of the i-th pair.
func (r ritz) residual(i int) float64 {
	b := r.from
	if b.done || r.values[i] == 0 {
		return 0
	}
	var s float64
	for row := range b.rest.Rows {
		var x float64
		for j := range b.last {
			x += b.rest.Row(row)[j] * r.last(j, i)
		}
		s += x * x
	}
	return math.Sqrt(s) / r.values[i]
}

// remainders is A = DᵀX - YΘ of the leading pairs: Y_{l+1} R vₗ/θ for the last block vₗ of each vector.
func (r ritz) remainders(count int) *gcg.Factor {
	b := r.from
	if b.done {
		return gcg.NewFactor(b.d.n, count)
	}
	last := gcg.Small(b.last, count)
	for c := range count {
		for j := range b.last {
			last.Row(j)[c] = r.last(j, c) / r.values[c]
		}
	}
	return gcg.Mul(b.next, gcg.Mul(b.rest, last))
}

// right are the vectors y of count pairs.
func (r ritz) right(from, count int) *gcg.Factor {
	b, n := r.from, len(r.values)
	if b.vectors == nil {
		_, b.vectors = linalg.SymEigen(b.matrix(), true)
	}
	y := gcg.NewFactor(b.d.n, count)
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

// pairs are the leading Ritz pairs: y = Y v and x = D y/‖D y‖, with the norms.
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

// above is an upper bound of ‖D‖₂ that holds but for the given probability; +Inf while nothing can be said.
func (b *krylov) above(r ritz, failure float64) float64 {
	top := r.top()
	switch {
	case b.done:
		return top * (1 + 1e-12)
	case b.steps < 2 || b.first < starts || top == 0:
		return math.Inf(1)
	}
	x := likely(b.d.dim, failure)
	from := beyond(b.steps, x)
	if b.excluded.x == x {
		from = math.Min(from, math.Max(b.excluded.above/top, 1+1e-12)) // rounding aside, no Ritz value is larger
	}
	b.excluded.x, b.excluded.above = x, top*newUnseen(r).bound(from, b.last, x)
	return b.excluded.above
}
