package operator

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Squares has no transpose of its data to read a column from. So the regressions of all columns take their conjugate gradient
// steps at once, with a pass over the data for each step, in float32. Those of all rows do so too where rows are long; short
// rows are solved a few at a time.

// RidgeRows is one half of a sweep of alternating ridge regressions, see gcg.Squares. It takes 4k flops for every observation,
// once and for every step; with short rows the last step takes 2k.
func (s *Squares[T]) RidgeRows(u, v *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	v = by.rows(v, s.colMul)
	mean := weightedMeanSquares(v, s.t.inCols)
	if 4*v.Stride*len(s.y) <= shortRow*s.t.m {
		return s.ridgeShortRows(u, v, mean, ridge, steps)
	}
	b := &ridgeBatch{x: u, mul: s.rowMul, counts: s.t.inRows, mean: mean, ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		return ridgeResidual(s, u, v, func(r run, res []float32) {
			kernel.GatherRows(from(g, r.row), block(v, r), v.Stride, r.ptr, r.index, res)
		})
	}
	b.normal = func(h, d *gcg.Factor32) {
		s.t.each(func(_ *scratch, r run) {
			kernel.CoreRows(from(h, r.row), from(d, r.row), block(v, r), v.Stride, r.ptr, r.index)
		})
	}
	return b.solve(steps)
}

// shortRow is the size in bytes of the rows of V that a mean row of the data meets, up to which rows are solved a few at a time.
// Measured with an earlier build, one row at a time, a half-sweep took 0.7 of the time of a batch at 8 KB, 0.8 at 33 KB, and as
// long at 62 KB. With 100 million ratings and a V that no cache holds it took 0.7 at 32 KB.
const shortRow = 64 << 10

// ridgeShortRows solves the regressions of a few rows at a time. After the first pass over these it finds every row of V that
// they meet in the cache, and it needs no vectors as large as U.
func (s *Squares[T]) ridgeShortRows(u, v *gcg.Factor32, mean []float32, ridge float64, steps int) (square, gain float64) {
	blocks := par.Grain(s.t.m, 64, 256)
	ranges := func(b int) (lo, hi int) { return par.Range(b, blocks, s.t.m) }
	longest := int(slices.Max(s.t.inRows))
	entries := func(i int) int { return int(s.t.inRows[i]) }
	rows := ridgeRows{u: u, v: v, mul: s.rowMul, mean: mean, entries: entries, longest: longest, ridge: ridge, steps: steps}
	return rows.solve(blocks, ranges, func(w *ridgeWork, lo, hi int) {
		w.ptr, w.cols, w.y = append(w.ptr[:0], 0), w.cols[:0], w.y[:0]
		for i := lo; i < hi; i++ {
			s.t.row(i, func(first int, e, end int64) {
				at := len(w.y)
				w.y = slices.Grow(w.y, int(end-e))[:at+int(end-e)]
				kernel.Convert(w.y[at:], s.y[e:end])
				for _, j := range s.t.index[e:end] {
					w.cols = append(w.cols, int32(first)+j)
				}
			})
			w.ptr = append(w.ptr, int64(len(w.cols)))
		}
	})
}

// RidgeColumns is the other half of a sweep, over V, see gcg.Squares. It takes 4k flops for every observation, once and for every
// step.
func (s *Squares[T]) RidgeColumns(v, u *gcg.Factor32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	u = by.rows(u, s.rowMul)
	b := &ridgeBatch{x: v, mul: s.colMul, counts: s.t.inCols, mean: weightedMeanSquares(u, s.t.inRows), ridge: ridge}
	b.residual = func(g *gcg.Factor32) float64 {
		return ridgeResidual(s, u, v, func(r run, res []float32) {
			kernel.ScatterRows(block(g, r), from(u, r.row), u.Stride, r.ptr, r.index, res)
		})
	}
	b.normal = func(h, d *gcg.Factor32) {
		s.t.each(func(_ *scratch, r run) {
			kernel.ColumnRows(block(h, r), from(u, r.row), block(d, r), u.Stride, r.ptr, r.index)
		})
	}
	return b.solve(steps)
}

// ridgeResidual calls f for every run with the residuals of its observations, in float32, and returns the sum of their
// squares.
func ridgeResidual[T Storage](s *Squares[T], u, v *gcg.Factor32, f func(r run, res []float32)) float64 {
	return s.t.eachSum(func(w *scratch, r run) float64 {
		res := grown(&w.single, r.hi-r.lo)
		kernel.Convert(res, s.y[r.lo:r.hi])
		square := kernel.ResidualRows(res, from(u, r.row), block(v, r), u.Stride, r.ptr, r.index, res)
		f(r, res)
		return square
	})
}
