package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// RidgeRows is one half of a sweep of alternating ridge regressions. 4k flops for every observation, once and for every step.
func (s *Sampling) RidgeRows(u, v *gcg.Factor32, y []float32, ridge float64, steps int) (square, gain float64) {
	v = scaledRows(v, s.colMul)
	mean := s.meanSquares(v)
	ranges := func(t int) (lo, hi int) { return s.cuts[t], s.cuts[t+1] }
	rows := ridgeRows{u: u, mul: s.rowMul, mean: mean, longest: len(s.ones), ridge: ridge, steps: steps}
	return rows.solve(len(s.cuts)-1, ranges, func(w *ridgeWork, i int) {
		lo, hi := s.ptr[i], s.ptr[i+1]
		w.pack(v, s.cols[lo:hi])
		copy(w.y, y[lo:hi])
	})
}

// ridgeRows are the regressions of all rows of U, each by itself.
type ridgeRows struct {
	u       *gcg.Factor32
	mul     []float64 // of the rows, or nil
	mean    []float32
	longest int // row of the data
	ridge   float64
	steps   int
}

// solve takes ranges of rows at once; take gives what a row of U meets.
func (r *ridgeRows) solve(count int, ranges func(t int) (lo, hi int), take func(w *ridgeWork, i int)) (square, gain float64) {
	gains := make([]float64, count)
	square = par.Sum(count, func(t int) (square float64) {
		w := newRidgeWork(r.longest, r.u.K, r.u.Stride)
		defer memory.Repay(w.all)
		lo, hi := ranges(t)
		for i := lo; i < hi; i++ {
			mul := 1.0
			if r.mul != nil {
				mul = r.mul[i]
			}
			take(w, i)
			was, won := w.solve(r.u.Row(i), r.mean, mul, r.ridge, r.steps)
			square += was
			gains[t] += won
		}
		return square
	})
	for _, won := range gains {
		gain += won
	}
	return square, gain
}

// meanSquares are the mean squares of the columns of v over observations: about a thousand of them, evenly spread.
func (s *Sampling) meanSquares(v *gcg.Factor32) []float32 {
	mean := make([]float32, v.Stride)
	step := max(1, len(s.cols)>>10)
	for e := 0; e < len(s.cols); e += step {
		for c, x := range v.Row(int(s.cols[e])) {
			mean[c] += x * x
		}
	}
	kernel.Scale32(float32(step)/float32(max(1, len(s.cols))), mean)
	return mean
}

// ridgePart is the part of gᵀM⁻¹g below which further steps only add rounding.
const ridgePart = 1e-12

// ridgeWork holds the rows of v that one row meets, its y, and the work space of the kernel.
type ridgeWork struct {
	all, rows, y, work, none []float32
	cols                     []int32 // of the row, where they lie apart
	k                        int     // columns of v, a multiple of 4
	entries                  int
}

func newRidgeWork(longest, k, stride int) *ridgeWork {
	longest, k = kernel.RidgeEntries(longest), (k+3)&^3
	all := memory.Borrow[float32](longest*k + longest + (kernel.RidgeWork+1)*stride)
	w := &ridgeWork{all: all, k: k}
	w.rows, all = all[:longest*k], all[longest*k:]
	w.y, all = all[:longest], all[longest:]
	w.work, w.none = all[:kernel.RidgeWork*stride], all[kernel.RidgeWork*stride:]
	clear(w.none)
	return w
}

// pack begins a row; its targets are to be written to y.
func (w *ridgeWork) pack(v *gcg.Factor32, cols []int32) {
	w.entries = len(cols)
	kernel.PackRow32(w.rows, v.Data, w.none, v.Stride, w.k, cols)
}

// solve ends the row. It works on u' = mul·u, for which the ridge is ridge/mul².
func (w *ridgeWork) solve(u, mean []float32, mul, ridge float64, steps int) (square, gain float64) {
	if mul != 1 {
		kernel.Scale32(float32(mul), u)
		defer kernel.Scale32(float32(1/mul), u)
	}
	n, end := w.entries, kernel.RidgeEntries(w.entries)
	clear(w.y[n:end])
	return kernel.RidgeRow32(u, w.rows, w.y[:end], mean, w.work, w.k, float32(n), float32(ridge/(mul*mul)), ridgePart, steps)
}

// Transposed is the sampling of Wᵀ, and y in the order of its observations.
func (s *Sampling) Transposed(y []float32) (t gcg.RidgeOperator, turned []float32) {
	ptr := make([]int64, s.n+1)
	for _, j := range s.cols {
		ptr[j+1]++
	}
	for j := range s.n {
		ptr[j+1] += ptr[j]
	}
	next := append([]int64(nil), ptr...)
	cols := memory.Make[int32](len(s.cols))
	turned = memory.Make[float32](len(y))
	for i := range s.m {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			at := &next[s.cols[e]]
			cols[*at], turned[*at] = int32(i), y[e]
			*at++
		}
	}
	tr := &Sampling{m: s.n, n: s.m, ptr: ptr, cols: cols, rowMul: s.colMul, colMul: s.rowMul}
	tr.cut()
	return tr, turned
}
