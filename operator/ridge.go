package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ridgeRows are the regressions of all rows of U for a fixed V, each solved by itself, a few rows at a time.
type ridgeRows struct {
	u, v    *gcg.Factor32
	mul     []float64       // the scale of each row, or nil for 1
	mean    []float32       // mean squares of the columns of V, for the preconditioner
	entries func(i int) int // the number of observations of row i
	longest int             // the most observations of a row
	ridge   float64
	steps   int
}

// Rows share the cost of a call of the kernels. They are taken together while the rows of V that they meet have at most
// nearBytes, so that passes after the first find these in a near cache. Their own vectors have at most nearElements.
const (
	nearBytes    = 256 << 10
	nearElements = 1 << 11
)

// solve works on count ranges of rows at once; ranges gives the bounds of one, and take fills in the columns and targets of the
// rows lo ≤ i < hi. It returns the sum of squares of the residuals at the start, and what the steps gain.
func (r *ridgeRows) solve(count int, ranges func(t int) (lo, hi int), take func(w *ridgeWork, lo, hi int)) (square,
	gain float64) {
	gains := make([]float64, count)
	square = par.Sum(count, func(t int) (square float64) {
		w := newRidgeWork(r)
		defer memory.Repay(w.all)
		for lo, end := ranges(t); lo < end; {
			hi := r.together(lo, end, w.most)
			take(w, lo, hi)
			was, won := w.solve(r, lo, hi)
			square += was
			gains[t] += won
			lo = hi
		}
		return square
	})
	for _, won := range gains {
		gain += won
	}
	return square, gain
}

// nearEntries is the number of observations whose rows of V have nearBytes.
func (r *ridgeRows) nearEntries() int { return nearBytes / (4 * r.v.Stride) }

// together is the end of the rows that are taken together from row lo on: before end, and most of them at most.
func (r *ridgeRows) together(lo, end, most int) int {
	left := r.nearEntries() - r.entries(lo)
	hi := lo + 1
	for hi < min(end, lo+most) && r.entries(hi) <= left {
		left -= r.entries(hi)
		hi++
	}
	return hi
}

// ridgeWork is a few rows that are taken together, with their columns and targets, and the work space of the kernels.
type ridgeWork struct {
	v       *gcg.Factor32
	most    int          // the most rows that there is room for
	ptr     []int64      // offsets of the rows in cols and y
	cols    []int32      // the row of V that each observation meets: together they are P
	y       []float32    // the targets
	g, d, h []float32    // of each row, k numbers: negative gradient, direction, Hessian times direction
	numbers [4][]float32 // of each row: observations, ridge, gᵀMg with the preconditioner M, and ‖P d‖²

	dims   int       // elements of a row of V that are packed, or 0 where rows are not packed
	packed []float32 // the packed rows of V
	none   []float32 // a row of zeros
	res    []float32 // a number for each observation, where rows are not packed
	all    []float32 // the memory of all these
}

// newRidgeWork borrows the memory, which its user gives back.
func newRidgeWork(r *ridgeRows) *ridgeWork {
	stride := r.v.Stride
	rows, entries := max(1, nearElements/stride), max(r.longest, r.nearEntries())
	w := &ridgeWork{v: r.v, most: rows, ptr: make([]int64, 0, rows+1)}
	room := 3*rows*stride + 4*rows + stride
	var packed, res int
	if w.dims = (r.v.K + 3) &^ 3; w.dims > kernel.MostPacked {
		w.dims, res = 0, entries
	} else {
		packed = kernel.PackedRoom(w.dims, rows, entries)
	}
	w.all = memory.Borrow[float32](room + packed + res)
	left := w.all
	cut := func(n int) []float32 {
		part := left[:n:n]
		left = left[n:]
		return part
	}
	w.packed, w.res = cut(packed), cut(res)
	w.g, w.d, w.h, w.none = cut(rows*stride), cut(rows*stride), cut(rows*stride), cut(stride)
	for i := range w.numbers {
		w.numbers[i] = cut(rows)
	}
	clear(w.none)
	return w
}

// solve takes the conjugate gradient steps on the rows lo ≤ i < hi of U, which w holds. It works on mul·u, and returns the sum
// of squares of the residuals at the start, and what the steps gain.
func (w *ridgeWork) solve(r *ridgeRows, lo, hi int) (square, gain float64) {
	k, rows := r.v.Stride, hi-lo
	u, g, d, h := r.u.Data[lo*k:hi*k], w.g[:rows*k], w.d[:rows*k], w.h[:rows*k]
	counts, ridge, old, squares := w.numbers[0][:rows], w.numbers[1][:rows], w.numbers[2][:rows], w.numbers[3][:rows]
	for i := range ridge {
		counts[i], ridge[i] = float32(w.ptr[i+1]-w.ptr[i]), scaledRidge(r.ridge, r.mul, lo+i)
		if r.mul != nil {
			kernel.Scale(float32(r.mul[lo+i]), u[i*k:(i+1)*k])
		}
	}
	clear(g)
	square = w.gradient(g, u)
	kernel.RidgeBegin(u, g, d, h, r.mean, k, counts, ridge, old)
	for range r.steps - 1 {
		w.addNormal(h, d)
		gain += kernel.RidgeStep(u, g, d, h, r.mean, k, counts, ridge, old)
	}
	if r.steps > 0 {
		w.rowSquares(squares, d)
		gain += kernel.RidgeLast(u, d, h, k, ridge, old, squares)
	}
	if r.mul != nil {
		for i, mul := range r.mul[lo:hi] {
			kernel.Scale(float32(1/mul), u[i*k:(i+1)*k])
		}
	}
	return square, gain
}

// gradient adds Pᵀ(y - P u) to g for each row, and returns the sum of squares of the residuals y - P u. It packs the rows of
// V for the products that follow.
func (w *ridgeWork) gradient(g, u []float32) (square float64) {
	v, k := w.v.Data, w.v.Stride
	if w.dims > 0 {
		kernel.PackRows(w.packed, v, w.none, w.y, k, w.dims, w.ptr, w.cols)
		return kernel.PackedGradientRows(g, w.packed, u, k, w.dims, w.ptr)
	}
	return kernel.GradientRows(w.res, u, g, v, k, w.ptr, w.cols, w.y)
}

// addNormal adds PᵀP d to h for each row.
func (w *ridgeWork) addNormal(h, d []float32) {
	if w.dims > 0 {
		kernel.PackedCoreRows(h, w.packed, d, w.v.Stride, w.dims, w.ptr)
		return
	}
	kernel.CoreRows(h, d, w.v.Data, w.v.Stride, w.ptr, w.cols)
}

// rowSquares writes ‖P d‖² of each row.
func (w *ridgeWork) rowSquares(to, d []float32) {
	if w.dims > 0 {
		kernel.PackedSquareRows(to, w.packed, d, w.v.Stride, w.dims, w.ptr)
		return
	}
	kernel.DotRows(w.res, d, w.v.Data, w.v.Stride, w.ptr, w.cols)
	for i := range to {
		to[i] = float32(kernel.SumSq(w.res[w.ptr[i]:w.ptr[i+1]]))
	}
}

// A ridgeBatch is the regressions of all rows x_i of x, solved at once. Each minimises half the sum of squares of the row's
// residuals plus ridge/2 ‖x_i‖². It works on mul_i x_i, for which the ridge is ridge/mul_i².
type ridgeBatch struct {
	x      *gcg.Factor32
	mul    []float64 // the scale of each row, or nil for 1
	counts []float64 // the number of observations of each row
	mean   []float32 // mean squares of the other factor's columns: the preconditioner of row i is diag(ridge + counts_i·mean)
	ridge  float64
	// adds the negative gradient of half the sum of squares to g, and returns the sum
	residual func(g *gcg.Factor32) (square float64)
	normal   func(h, d *gcg.Factor32) // adds the Hessian of half the sum of squares, times d, to h
}

// solve takes so many conjugate gradient steps on every row of x, all rows at once. It returns the sum of squares of the
// residuals at the start, and what the steps gain.
func (b *ridgeBatch) solve(steps int) (square, gain float64) {
	scaleRows(b.x, b.mul)
	rows, k := b.x.Rows, b.x.Stride
	g, d, h := gcg.NewFactorOf[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K), gcg.Room[float32](rows, b.x.K)
	defer gcg.Repay(g, d, h)
	numbers := make([]float32, 3*rows)
	counts, ridge, old := numbers[:rows], numbers[rows:2*rows], numbers[2*rows:]
	for i := range ridge {
		counts[i], ridge[i] = float32(b.counts[i]), scaledRidge(b.ridge, b.mul, i)
	}
	square = b.residual(g)
	b.rows(func(lo, hi int) float64 {
		kernel.RidgeBegin(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:], ridge[lo:hi],
			old[lo:])
		return 0
	})
	for range steps {
		b.normal(h, d)
		gain += b.rows(func(lo, hi int) float64 {
			return kernel.RidgeStep(b.x.Data[lo*k:hi*k], g.Data[lo*k:], d.Data[lo*k:], h.Data[lo*k:], b.mean, k, counts[lo:],
				ridge[lo:hi], old[lo:])
		})
	}
	unscaleRows(b.x, b.mul)
	return square, gain
}

// scaledRidge is the ridge of mul_i·x_i, for a ridge of x_i. A nil mul stands for ones.
func scaledRidge(ridge float64, mul []float64, i int) float32 {
	if mul == nil {
		return float32(ridge)
	}
	return float32(ridge / (mul[i] * mul[i]))
}

// rows calls f on ranges of rows, at once, and adds what it returns.
func (b *ridgeBatch) rows(f func(lo, hi int) float64) float64 {
	blocks := par.Grain(b.x.Rows, 512, 64)
	return par.Sum(blocks, func(t int) float64 { return f(par.Range(t, blocks, b.x.Rows)) })
}

// leastMean takes the place of mean squares that are 0, as those of padding are: with a ridge of 0 the preconditioner would
// divide by them.
const leastMean = 1e-30

// sampledMeanSquares has the mean squares of the columns of f over the rows that observations meet, from about a thousand
// observations, evenly spread. rows has the row of each observation.
func sampledMeanSquares(f *gcg.Factor32, rows []int32) []float32 {
	step := max(1, len(rows)>>10)
	by := float32(step) / float32(max(1, len(rows)))
	return meanSquares(f, len(rows)/step, func(e int) (row int, weight float32) { return int(rows[e*step]), by })
}

// weightedMeanSquares has the terms of the rows of f in the mean squares of its columns over all observations, of which counts[i]
// meet row i.
func weightedMeanSquares(f *gcg.Factor32, counts []float64, all int) []float32 {
	by := 1 / max(1, float64(all))
	return meanSquares(f, len(counts), func(i int) (row int, weight float32) { return i, float32(by * counts[i]) })
}

// meanSquares has Σ weight·f_rowc² for every column c, over the rows and weights that of gives for 0 ≤ e < count.
func meanSquares(f *gcg.Factor32, count int, of func(e int) (row int, weight float32)) []float32 {
	mean := make([]float32, f.Stride)
	par.Accumulate(mean, par.Grain(count, 512, 8), count, func(sum []float32, lo, hi int) {
		square := make([]float32, f.Stride)
		for e := lo; e < hi; e++ {
			i, weight := of(e)
			kernel.Hadamard(square, f.Row(i), f.Row(i))
			kernel.Axpy(weight, square, sum)
		}
	})
	for c, x := range mean {
		mean[c] = max(x, leastMean)
	}
	return mean
}
