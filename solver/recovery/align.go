package recovery

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/loss"
)

// aligner is align at the triples of a step, for a deviation of all entries beside λ‖Z‖_*; else nil.
func (a *Splitting) aligner(s *gcg.State, parts []triples) func() {
	l, ok := a.p.Loss.(*loss.Deviation)
	if !ok || !a.shares() || a.cone != general || len(parts) != 1 || len(parts[0].values) == 0 ||
		!math.IsInf(a.p.Penalty.Max(), 1) {
		return nil
	}
	return func() { a.align(s, parts[0], l) }
}

// align moves R towards the dual point of the optimum whose singular vectors and signs are those of Z = UΣVᵀ and Y - Z: to λUVᵀ
// on the tangent space {UAᵀ + BVᵀ}, by the nearest such matrix, and then to λ₁ sign(y-z) where |y-z| is more than the threshold
// of a step, and within λ₁ elsewhere. Where a low-rank and a sparse part can be told apart these two are nearly orthogonal
// [Candès, Li, Ma, Wright 2011], so that the first survives the second. In any case R is in the domain of the conjugate.
//
// The nearest matrix is R + U(λV - RᵀU + VCᵀ)ᵀ - RVVᵀ, with C = UᵀRV.
func (a *Splitting) align(s *gcg.State, t triples, l *loss.Deviation) {
	m, n := t.left.Rows, t.right.Rows
	along, across := gcg.NewFactor(m, t.left.K), gcg.NewFactor(n, t.left.K)
	kernel.GemmNN(along.Data, s.R, t.right.Data, m, along.Stride, n)
	kernel.GemmTN(across.Data, s.R, t.left.Data, n, across.Stride, m)
	right := gcg.Mul(t.right, gcg.TMul(along, t.left))
	kernel.Axpy(a.norm, t.right.Data, right.Data)
	kernel.Axpy(-1, across.Data, right.Data)
	kernel.Scale(-1, along.Data)
	left := gcg.Beside(t.left, along)
	right = gcg.Beside(right, t.right)
	threshold := l.Lambda / a.rho
	rowPieces(m, n, func(top, rows int) {
		lo, hi := top*n, (top+rows)*n
		r, y, z := s.R[lo:hi], l.Y[lo:hi], s.Z[lo:hi]
		kernel.GemmNT(r, left.Data[top*left.Stride:], right.Data, rows, n, left.Stride)
		kernel.Clamp(l.Lambda, r)
		for i := range r {
			if d := y[i] - z[i]; math.Abs(d) > threshold {
				r[i] = math.Copysign(l.Lambda, d)
			}
		}
	})
}
