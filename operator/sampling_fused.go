package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r²: the fused form of FactoredTo and the squared loss.
func (s *Sampling) ResidualTo(r, y []float64, u, v *gcg.Factor) float64 {
	if u.K == 0 {
		copy(r, y)
		return par.Sum(1, func(int) float64 { return kernel.Dot(y, y) })
	}
	u, v = scaledRows(u, s.rowMul), scaledRows(v, s.colMul)
	return par.Sum(len(s.parts)-1, func(t int) float64 {
		var sum float64
		for i := s.parts[t]; i < s.parts[t+1]; i++ {
			if lo, hi := s.ptr[i], s.ptr[i+1]; lo < hi {
				sum += kernel.ResidualRow(r[lo:hi], u.Row(i), v.Data, v.Stride, s.cols[lo:hi], y[lo:hi])
			}
		}
		return sum
	})
}

// CurvatureTo is the second derivative of ½‖y - A(U Vᵀ)‖² along (dU, dV), in one pass and without predictions: with
// E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r),
//
//	gu (m×k) = E V - R dV,   gv (n×k) = Eᵀ U - Rᵀ dU.
//
// 12k flops for every observation.
func (s *Sampling) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	u, v = scaledRows(u, s.rowMul), scaledRows(v, s.colMul)
	du, dv = scaledRows(du, s.rowMul), scaledRows(dv, s.colMul)
	clear(gu.Data)
	s.scatter(gv, func(buf []float64, i int, lo, hi int64) {
		kernel.HessRow(gu.Row(i), buf, u.Row(i), du.Row(i), v.Data, dv.Data, v.Stride, s.cols[lo:hi], r[lo:hi])
	})
	scaleRows(gu, s.rowMul)
	scaleRows(gv, s.colMul)
}

// DiagonalTo writes the sums of squares that a Jacobi preconditioner needs: du_ic = Σⱼ αᵢ²βⱼ² v_jc² over the observed j of
// row i, dv_jc = Σᵢ αᵢ²βⱼ² u_ic². u2 and v2 hold the squares of the factors.
func (s *Sampling) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	u2, v2 = scaledRows(scaledRows(u2, s.rowMul), s.rowMul), scaledRows(scaledRows(v2, s.colMul), s.colMul)
	clear(du.Data)
	s.scatter(dv, func(buf []float64, i int, lo, hi int64) {
		kernel.SpmmRow(du.Row(i), buf, u2.Row(i), v2.Data, v2.Stride, s.cols[lo:hi], s.ones[:hi-lo])
	})
	for range 2 {
		scaleRows(du, s.rowMul)
		scaleRows(dv, s.colMul)
	}
}
