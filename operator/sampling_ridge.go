package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// RidgeRows is one half of a sweep of alternating ridge regressions. 4k flops for every observation, once and for every step.
func (s *Sampling) RidgeRows(u, v *gcg.Factor32, y []float32, ridge float64, steps int) (square, gain float64) {
	v = scaledRows(v, s.colMul)
	mean := s.meanSquares(v)
	ranges := func(t int) (lo, hi int) { return s.cuts[t], s.cuts[t+1] }
	rows := ridgeRows{u: u, v: v, mul: s.rowMul, mean: mean, longest: len(s.ones), ridge: ridge, steps: steps}
	return rows.solve(len(s.cuts)-1, ranges, func(w *ridgeWork, i int) {
		lo, hi := s.ptr[i], s.ptr[i+1]
		w.cols = s.cols[lo:hi]
		copy(w.y, y[lo:hi])
	})
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
