package operator

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// RidgeRows lowers ½‖y - A(U Vᵀ)‖² + ridge/2·‖U‖² over U, for fixed V, by a few conjugate gradient steps on each row from
// where U is: one half of a sweep of alternating ridge regressions. 4k flops for every observation, step and row.
func (s *Sampling) RidgeRows(u, v *gcg.Factor, y []float64, ridge float64, steps int) {
	v = scaledRows(v, s.colMul)
	longest := len(s.ones)
	par.For(len(s.parts)-1, func(t int) {
		w := ridgeWork{make([]float64, longest), make([]float64, longest), make([]float64, u.Stride), make([]float64, u.Stride)}
		for i := s.parts[t]; i < s.parts[t+1]; i++ {
			lo, hi := s.ptr[i], s.ptr[i+1]
			if lo == hi {
				clear(u.Row(i))
				continue
			}
			mul := 1.0
			if s.rowMul != nil {
				mul = s.rowMul[i]
			}
			w.solve(u.Row(i), v, s.cols[lo:hi], y[lo:hi], mul, ridge, steps)
		}
	})
}

type ridgeWork struct{ r, z, g, p []float64 }

// solve works on u' = mul·u, for which the ridge is ridge/mul².
func (w *ridgeWork) solve(u []float64, v *gcg.Factor, cols []int32, y []float64, mul, ridge float64, steps int) {
	kernel.Scale(mul, u)
	ridge /= mul * mul
	r, z := w.r[:len(cols)], w.z[:len(cols)]
	kernel.ResidualRow(r, u, v.Data, v.Stride, cols, y)
	gradient := func() float64 {
		clear(w.g)
		kernel.GatherRow(w.g, v.Data, v.Stride, cols, r)
		kernel.Axpy(-ridge, u, w.g)
		return kernel.Dot(w.g, w.g)
	}
	gg := gradient()
	copy(w.p, w.g)
	solved := 1e-26 * (gg + ridge*ridge*kernel.Dot(u, u)) // beyond it the recurrences only add rounding
	for range steps {
		if !(gg > solved) || math.IsInf(gg, 0) {
			break
		}
		kernel.DotRow(z, w.p, v.Data, v.Stride, cols)
		alpha := gg / (kernel.Dot(z, z) + ridge*kernel.Dot(w.p, w.p))
		kernel.Axpy(alpha, w.p, u)
		kernel.Axpy(-alpha, z, r)
		next := gradient()
		kernel.Scale(next/gg, w.p)
		kernel.Axpy(1, w.g, w.p)
		gg = next
	}
	kernel.Scale(1/mul, u)
}

// Transposed is the sampling of Wᵀ and the order of its observations: observation e of it is observation order[e] of s.
func (s *Sampling) Transposed() (t gcg.RidgeOperator, order []int32) {
	ptr := make([]int64, s.n+1)
	for _, j := range s.cols {
		ptr[j+1]++
	}
	for j := range s.n {
		ptr[j+1] += ptr[j]
	}
	next := append([]int64(nil), ptr...)
	cols := make([]int32, len(s.cols))
	order = make([]int32, len(s.cols))
	for i := range s.m {
		for e := s.ptr[i]; e < s.ptr[i+1]; e++ {
			at := &next[s.cols[e]]
			cols[*at], order[*at] = int32(i), int32(e)
			*at++
		}
	}
	tr := &Sampling{m: s.n, n: s.m, ptr: ptr, cols: cols, rowMul: s.colMul, colMul: s.rowMul}
	tr.cut()
	return tr, order
}
