package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// RidgeRows is one half of a sweep of alternating ridge regressions, see view.RidgeOperator. It takes 4k flops for every
// observation, once and for every step but the last, which takes 2k.
func (s *Sampling) RidgeRows(u, v *gcg.Factor32, y []float32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	v = by.rows(v, s.colMul)
	mean := sampledMeanSquares(v, s.cols)
	ranges := func(t int) (lo, hi int) { return s.cuts[t], s.cuts[t+1] }
	entries := func(i int) int { return int(s.ptr[i+1] - s.ptr[i]) }
	rows := ridgeRows{u: u, v: v, mul: s.rowMul, mean: mean, entries: entries, longest: len(s.ones), ridge: ridge, steps: steps}
	return rows.solve(len(s.cuts)-1, ranges, func(w *ridgeWork, lo, hi int) {
		from, to := s.ptr[lo], s.ptr[hi]
		w.ptr, w.cols, w.y = fromZero(w.ptr[:0], s.ptr[lo:hi+1]), s.cols[from:to], y[from:to]
	})
}

// Transposed is the sampling of Wᵀ, and y in the order of its observations. Both are new.
func (s *Sampling) Transposed(y []float32) (t gcg.Operator, turned []float32) {
	blocks := par.Grain(len(s.cols), 8*s.n, min(8, len(s.cuts)-1))
	rows := func(b int) (lo, hi int) {
		lo, hi = par.Range(b, blocks, len(s.cuts)-1)
		return s.cuts[lo], s.cuts[hi]
	}
	next := make([][]int64, blocks) // how many observations a block has in each column, then where the next of them comes
	par.For(blocks, func(b int) {
		lo, hi := rows(b)
		count := make([]int64, s.n)
		for _, j := range s.cols[s.ptr[lo]:s.ptr[hi]] {
			count[j]++
		}
		next[b] = count
	})
	ptr := make([]int64, s.n+1)
	for j := range s.n {
		at := ptr[j]
		for _, to := range next {
			at, to[j] = at+to[j], at
		}
		ptr[j+1] = at
	}
	cols := memory.Make[int32](len(s.cols))
	turned = memory.Make[float32](len(y))
	par.For(blocks, func(b int) {
		lo, hi := rows(b)
		next := next[b]
		for i := lo; i < hi; i++ {
			from, to := s.ptr[i], s.ptr[i+1]
			targets := y[from:to]
			for e, j := range s.cols[from:to] {
				at := next[j]
				next[j] = at + 1
				cols[at], turned[at] = int32(i), targets[e]
			}
		}
	})
	tr := &Sampling{m: s.n, n: s.m, ptr: ptr, cols: cols, rowMul: s.colMul, colMul: s.rowMul}
	tr.cut()
	return tr, turned
}
