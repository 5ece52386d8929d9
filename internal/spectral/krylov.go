package spectral

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// Options limit the Lanczos steps of one polar.
type Options struct {
	Steps    int     // at most so many for atoms
	Small    int     // after so many a proof is cheaper than more steps for atoms, or cutting out pairs is tried
	Patience int     // at most so many for the bound; more than steps where the side is too long for a proof
	Failure  float64 // the probability with which the bound may fail
}

// Starts is the number of random vectors in the first block: as many as the kernels handle in one stride.
const Starts = 8

// panelWidth is the number of columns of one panel of the basis, for vectors of so many rows. Wide panels take fewer passes over
// the block that is made orthogonal to them, which counts where that block is not in a cache. But the unused columns of the last
// panel are multiplied too: with 64 columns they are a third of all products in a run of a few dozen steps.
func panelWidth(rows int) int {
	if rows <= 1<<13 {
		return 2 * Starts
	}
	return 8 * Starts
}

// A krylov is a block Lanczos factorization of DᵀD from random vectors. After l steps the orthonormal Y = [Y₁ … Y_l] has
//
//	DᵀD Y = Y H + Y_{l+1} [0 … 0 R]
//
// with H symmetric and block tridiagonal. D is m×n with n ≤ m, so that only vectors on the shorter side are kept.
//
// A product with a block costs little more than one with a vector. And it is far less likely that all vectors of a block are
// nearly orthogonal to a singular vector, see missedSpectrum.
type krylov struct {
	d         *complement
	panel     int           // columns of a panel
	basis     []*gcg.Factor // Y in panels; the columns of the last that are not used yet are zero
	count     int           // columns of Y
	first     int           // columns of Y₁
	last      int           // columns of Y_l
	next      *gcg.Factor   // Y_{l+1}
	current   *gcg.Factor   // Y_l
	h         [][]float64   // h[j] is column j of H, down to the end of its diagonal block
	remainder *gcg.Factor   // R
	w, z      *gcg.Factor   // DᵀD Y_l (n rows), and work space of the product (m rows)
	vectors   *mat.Dense    // all eigenvectors of H, or nil until they are wanted
	steps     int           // l
	done      bool          // the Krylov space is invariant: H holds all that the start can see
	square    float64       // the largest diagonal element of H, about ‖D‖²

	// Earlier steps have excluded singular values of D larger than above, in the event that ‖Y₁ᵀy‖² > x, see missedSpectrum.
	excluded struct{ x, above float64 }
}

// startKrylov draws Y₁: a normal random block, projected on the complement and made orthonormal. The run is done at once
// where nothing is left of the block.
func startKrylov(d *complement, seed uint64) *krylov {
	rng := rand.New(rand.NewPCG(seed, 0x9e3779b97f4a7c15))
	y := gcg.Like[float64](d.structure.right, Starts)
	from := y.First() * y.Stride
	for i := range y.Height() * y.Stride { // those of other ranks are drawn, too
		if x := rng.NormFloat64(); i >= from && i < from+len(y.Data) {
			y.Data[i-from] = x
		}
	}
	b := &krylov{d: d, panel: panelWidth(d.n)}
	if d.dim <= 0 {
		b.done = true
		return b
	}
	d.right(y)
	once, _ := gcg.Orthonormal(y, rounding.Null)
	d.right(once)
	b.next, _ = gcg.Orthonormal(once, 1e-6)
	gcg.Repay(y, once)
	b.first = b.next.K
	b.done = b.first == 0
	return b
}

// repay gives the memory of b to later factors; b must not be used afterwards.
func (b *krylov) repay() {
	gcg.Repay(b.basis...)
	gcg.Repay(b.next, b.current, b.w, b.z)
}

// extend takes steps until there are l of them, or the Krylov space is invariant. Each new block is made orthogonal to the
// whole basis: lost orthogonality would make copies of converged pairs and void the bound.
func (b *krylov) extend(ctx context.Context, l int) error {
	for b.steps < l && !b.done {
		if err := ctx.Err(); err != nil {
			return err
		}
		b.step()
	}
	return nil
}

// step computes DᵀD Y_l and makes it orthogonal to the basis. First it takes out the parts along Y_l and Y_{l-1}, the only ones
// in exact arithmetic. Then it takes out what rounding has left along the whole basis. Both parts enter H. With one pass alone
// the errors of the basis would grow from step to step. What is left is factored into Y_{l+1} R. Where little is left, it is
// projected on the complement once more.
func (b *krylov) step() {
	before, y := b.current, b.next
	b.vectors = nil
	b.append(y)
	w := b.product(y)
	recent := []*gcg.Factor{y}
	if before != nil {
		recent = append(recent, before)
	}
	whole := math.Sqrt(w.Dot(w))
	along := w.ProjectAll(recent...)
	size := math.Sqrt(w.Dot(w))
	if !(whole < 1e3*size) {
		b.d.right(w) // the rounding errors of whole are not small beside what is left, and keep to no space
	}
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
	dropNoise(w, rounding.Sum*b.square)
	q, c := gcg.Orthonormal(w, rounding.Null)
	if cancelled(size, c) {
		b.d.right(q)
		q.ProjectAll(b.basis...)
		dropNoise(q, 1e-3)
		twice, again := gcg.Orthonormal(q, 1e-3)
		gcg.Repay(q)
		q, c = twice, gcg.Mul(again, c)
	}
	gcg.Repay(before)
	b.current, b.next, b.remainder = y, q, c
	b.done = q.K == 0 || b.count >= b.d.dim
}

// product is DᵀD y (n×k), which the next product overwrites.
func (b *krylov) product(y *gcg.Factor) *gcg.Factor {
	if b.w == nil || b.w.K != y.K {
		b.w, b.z = gcg.Like[float64](b.d.structure.right, y.K), gcg.Like[float64](b.d.structure.left, y.K)
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

// cancelled reports whether most of w = q c was taken out of it, so that q is not orthogonal to the basis to enough digits.
// With before, the norm of w before that, the rounding errors of q are about ε·before/σ_min(c); a quotient of 1,000 is too
// much.
func cancelled(before float64, c *gcg.Factor) bool {
	if c.K == 0 {
		return true
	}
	values, _ := gcg.TMul(c, c).SymEigen(false)
	return !(before*before < 1e6*values[0])
}

// append copies the columns of y to the end of the basis, and begins new panels as needed.
func (b *krylov) append(y *gcg.Factor) {
	for from := 0; from < y.K; {
		at := b.count % b.panel
		if at == 0 {
			b.basis = append(b.basis, gcg.Like[float64](y, b.panel))
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

// unpanel writes column j of YᵀW into dst (count), where coef has YᵀW as one matrix for each panel.
func (b *krylov) unpanel(dst []float64, coef []*gcg.Factor, j int) {
	for i := range dst {
		dst[i] = coef[i/b.panel].Row(i % b.panel)[j]
	}
}

// dropNoise clears the columns of w with norms of at most floor, which are rounding errors. Where the square of a norm is at most
// floor², or out of the range of float64, the norm is computed again with scaling.
func dropNoise(w *gcg.Factor, floor float64) {
	squares := gcg.TMul(w, w).Diagonal()
	var norms []float64
	for c, square := range squares {
		if linalg.SquareInRange(square) && square > floor*floor {
			continue
		}
		if norms == nil {
			norms = w.ColumnNorms()
		}
		if norms[c] <= floor {
			w.ScaleColumn(c, 0)
		}
	}
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

// above is an upper bound of ‖D‖₂ that holds but for the given probability, from the Ritz values r after the present steps.
// It is +Inf before the second step, with a first block of fewer columns than starts, and where all Ritz values are 0.
func (b *krylov) above(r ritz, failure float64) float64 {
	top := r.top()
	switch {
	case b.done:
		return top * (1 + rounding.Null)
	case b.steps < 2 || b.first < Starts || top == 0:
		return math.Inf(1)
	}
	x := likely(b.d.dim, failure)
	from := chebyshevBound(b.steps, x)
	if b.excluded.x == x {
		from = math.Min(from, math.Max(b.excluded.above/top, 1+rounding.Null)) // rounding aside, no Ritz value is larger
	}
	b.excluded.x, b.excluded.above = x, top*newMissedSpectrum(r).bound(from, b.last, x)
	return b.excluded.above
}
