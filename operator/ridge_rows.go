package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ridgeRows are the regressions of all rows of U, each by itself.
type ridgeRows struct {
	u, v    *gcg.Factor32
	mul     []float64 // of the rows, or nil
	mean    []float32
	longest int // row of the data
	ridge   float64
	steps   int
}

// solve takes ranges of rows at once; take gives a row's columns and targets.
func (r *ridgeRows) solve(count int, ranges func(t int) (lo, hi int), take func(w *ridgeWork, i int)) (square, gain float64) {
	gains := make([]float64, count)
	square = par.Sum(count, func(t int) (square float64) {
		w := newRidgeWork(r)
		defer memory.Repay(w.all)
		lo, hi := ranges(t)
		for i := lo; i < hi; i++ {
			mul := 1.0
			if r.mul != nil {
				mul = r.mul[i]
			}
			take(w, i)
			was, won := w.solve(r, r.u.Row(i), mul)
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

// ridgePart is the part of gᵀM⁻¹g below which further steps only add rounding.
const ridgePart = 1e-12

// packedWidth is the width of V up to which the rows of it that a row of the data meets are packed side by side, so that a product with all of
// them needs no sums across lanes. Wider, these cost little, and packing is a pass more over memory that the nearest cache does not hold: of
// MovieLens-1M a half-sweep takes 0.8 of the time without it at k = 208, 0.7 at 320, as long at 112, and 1.3 at 64.
const packedWidth = 112

// ridgeWork is one row at a time: its columns and targets, the rows of V that it meets, and the work space of the kernels.
type ridgeWork struct {
	all, rows, y, work, none []float32
	cols                     []int32
}

func newRidgeWork(r *ridgeRows) *ridgeWork {
	longest, stride := kernel.RidgeEntries(r.longest), r.v.Stride
	packed := 0
	if stride <= packedWidth {
		packed = longest * stride
	}
	all := memory.Borrow[float32](packed + longest + (kernel.RidgeWork+1)*stride)
	w := &ridgeWork{all: all}
	w.rows, all = all[:packed], all[packed:]
	w.y, all = all[:longest], all[longest:]
	w.work, w.none = all[:kernel.RidgeWork*stride], all[kernel.RidgeWork*stride:]
	clear(w.none)
	return w
}

// solve works on u' = mul·u, for which the ridge is ridge/mul².
func (w *ridgeWork) solve(r *ridgeRows, u []float32, mul float64) (square, gain float64) {
	if mul != 1 {
		kernel.Scale32(float32(mul), u)
		defer kernel.Scale32(float32(1/mul), u)
	}
	ridge := float32(r.ridge / (mul * mul))
	if r.v.Stride > packedWidth {
		return w.gathered(r, u, ridge)
	}
	return w.packed(r, u, ridge)
}

func (w *ridgeWork) packed(r *ridgeRows, u []float32, ridge float32) (square, gain float64) {
	n, k := len(w.cols), (r.v.K+3)&^3
	kernel.PackRow32(w.rows, r.v.Data, w.none, r.v.Stride, k, w.cols)
	end := kernel.RidgeEntries(n)
	clear(w.y[n:end])
	return kernel.RidgeRow32(u, w.rows, w.y[:end], r.mean, w.work, k, float32(n), ridge, ridgePart, r.steps)
}

func (w *ridgeWork) gathered(r *ridgeRows, u []float32, ridge float32) (square, gain float64) {
	k, n := r.v.Stride, len(w.cols)
	var old float32
	g := regression{x: u, mean: r.mean, count: float32(n), ridge: ridge, old: &old,
		g: w.work[:k], d: w.work[k : 2*k], h: w.work[2*k : 3*k], inverse: w.work[3*k : 4*k]}
	g.invert()
	clear(g.g)
	clear(g.d)
	square = kernel.GradientRow32(w.y[:n], u, g.g, r.v.Data, k, w.cols, w.y[:n])
	g.begin()
	for left := r.steps; left > 1; left-- {
		kernel.CoreRow32(g.h, g.d, r.v.Data, k, w.cols)
		gain += g.step()
	}
	if r.steps < 1 {
		return square, 0
	}
	kernel.DotRow32(w.y[:n], g.d, r.v.Data, k, w.cols)
	return square, gain + g.last(kernel.SumSq32(w.y[:n]))
}
