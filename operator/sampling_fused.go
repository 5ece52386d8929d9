package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r², in one pass; r may be y.
func (s *Sampling) ResidualTo(r, y []float64, u, v *gcg.Factor) float64 {
	if u.K == 0 {
		copy(r, y)
		return kernel.SumSq(y)
	}
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	return par.Sum(len(s.cuts)-1, func(t int) float64 {
		lo, hi := s.cuts[t], s.cuts[t+1]
		return kernel.ResidualRows(r, from(u, lo), v.Data, v.Stride, s.ptr[lo:hi+1], s.cols, y)
	})
}

// CurvatureTo is the second derivative of ½‖y - A(U Vᵀ)‖² along (dU, dV), in one pass and without predictions: with
// E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r),
//
//	gu (m×k) = E V - R dV,   gv (n×k) = Eᵀ U - Rᵀ dU.
//
// 12k flops for every observation.
func (s *Sampling) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	curvatureTo(s, gu, gv, r, u, v, du, dv)
}

// Curvature32To is CurvatureTo in float32.
func (s *Sampling) Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32) {
	curvatureTo(s, gu, gv, r, u, v, du, dv)
}

// curvatureTo is CurvatureTo in the precision of the factors.
func curvatureTo[T Storage](s *Sampling, gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]) {
	var by scaling[T]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	du, dv = by.rows(du, s.rowMul), by.rows(dv, s.colMul)
	scatter(s, gv.Data, func(buf []T, lo, hi int) {
		clear(rowsOf(gu, lo, hi))
		kernel.HessRows(from(gu, lo), buf, from(u, lo), from(du, lo), v.Data, dv.Data, v.Stride, s.ptr[lo:hi+1], s.cols, r)
	})
	scaleRows(gu, s.rowMul)
	scaleRows(gv, s.colMul)
}

// NormalTo writes gu = A*(A(X Vᵀ)) V, the normal operator of U for a fixed V. 4k flops for every observation.
func (s *Sampling) NormalTo(gu, x, v *gcg.Factor) { normalTo(s, gu, x, v) }

// Normal32To is NormalTo in float32.
func (s *Sampling) Normal32To(gu, x, v *gcg.Factor32) { normalTo(s, gu, x, v) }

// normalTo is NormalTo in the precision of the factors.
func normalTo[T Storage](s *Sampling, gu, x, v *gcg.FactorOf[T]) {
	var by scaling[T]
	defer by.repay()
	x, v = by.rows(x, s.rowMul), by.rows(v, s.colMul)
	s.pieces(func(lo, hi int) {
		clear(rowsOf(gu, lo, hi))
		kernel.CoreRows(from(gu, lo), from(x, lo), v.Data, v.Stride, s.ptr[lo:hi+1], s.cols)
	})
	scaleRows(gu, s.rowMul)
}

// DiagonalTo writes the sums of squares that a Jacobi preconditioner needs: du_ic = Σⱼ αᵢ²βⱼ² v_jc² over the observed j of
// row i, and dv_jc = Σᵢ αᵢ²βⱼ² u_ic² over the observed i of column j. u2 and v2 hold the squares of the factors' entries. dv
// may be nil, which takes half of the time.
func (s *Sampling) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	u2, v2 = by.rows(by.rows(u2, s.rowMul), s.rowMul), by.rows(by.rows(v2, s.colMul), s.colMul)
	rows := func(buf []float64, lo, hi int) {
		clear(rowsOf(du, lo, hi))
		ptr := make([]int64, 2) // of one row: there are as many ones as the longest has entries
		for i := lo; i < hi; i++ {
			cols := s.cols[s.ptr[i]:s.ptr[i+1]]
			ptr[1] = int64(len(cols))
			if dv == nil {
				kernel.GatherRows(du.Row(i), v2.Data, v2.Stride, ptr, cols, s.ones)
			} else {
				kernel.SpmmRows(du.Row(i), buf, u2.Row(i), v2.Data, v2.Stride, ptr, cols, s.ones)
			}
		}
	}
	if dv == nil {
		s.pieces(func(lo, hi int) { rows(nil, lo, hi) })
	} else {
		scatter(s, dv.Data, rows)
		scaleRows(dv, s.colMul)
		scaleRows(dv, s.colMul)
	}
	scaleRows(du, s.rowMul)
	scaleRows(du, s.rowMul)
}
