package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// sweepSquares is Local.sweep on passes over the data, without its transpose: the ridge problems of all rows, or of all
// columns, take their conjugate gradient steps at once, a pass for each.
func sweepSquares(p *gcg.Problem, s *gcg.State, q gcg.Squares) (allowed, spent bool) {
	if p.Penalty.Deriv(1) != p.Penalty.Deriv(2) || !math.IsInf(p.Penalty.Max(), 1) {
		return false, false
	}
	lambda := p.Penalty.Deriv(0)
	u, v := s.W.U.Clone(), s.W.V.Clone()
	s.W.U, s.W.V = u, v
	g := q.Adjoint(nil).(gcg.BlockMap)
	return true, alternate(p, s, func() float64 {
		ridgeSide(v, lambda, func(dst *gcg.Factor) { g.TMulBlockTo(dst, u) }, func(dst, x *gcg.Factor) { q.RightTo(dst, u, x) })
		q.Move(u, v)
		ridgeSide(u, lambda, func(dst *gcg.Factor) { g.MulBlockTo(dst, v) }, func(dst, x *gcg.Factor) { q.LeftTo(dst, x, v) })
		return q.Move(u, v) + lambda/2*(u.Dot(u)+v.Dot(v))
	})
}

// ridgeSide lowers L + λ/2 ‖X‖² over the rows of X, each by ridgeSteps conjugate gradient steps of its own: residual writes
// -∇L, and normal is the Hessian of L, which does not mix rows.
func ridgeSide(x *gcg.Factor, lambda float64, residual func(dst *gcg.Factor), normal func(dst, x *gcg.Factor)) {
	r, h := gcg.NewFactor(x.Rows, x.K), gcg.NewFactor(x.Rows, x.K)
	residual(r)
	r.AddScaled(-lambda, x)
	d := r.Clone()
	square := make([]float64, x.Rows)
	eachRow(x.Rows, func(i int) { square[i] = kernel.SumSq(r.Row(i)) })
	for range ridgeSteps {
		normal(h, d)
		eachRow(x.Rows, func(i int) {
			if square[i] > 0 {
				square[i] = ridgeStep(x.Row(i), r.Row(i), d.Row(i), h.Row(i), lambda, square[i])
			}
		})
	}
}

// ridgeStep is a conjugate gradient step of one row; it returns ‖r‖², or 0 where nothing but rounding is left.
func ridgeStep(x, r, d, h []float64, lambda, square float64) float64 {
	kernel.Axpy(lambda, d, h)
	alpha := square / kernel.Dot(d, h)
	kernel.Axpy(alpha, d, x)
	kernel.Axpy(-alpha, h, r)
	next := kernel.SumSq(r)
	if !(next > 1e-26*(square+lambda*lambda*kernel.SumSq(x))) || math.IsInf(next, 0) {
		return 0
	}
	kernel.Scale(next/square, d)
	kernel.Axpy(1, r, d)
	return next
}

// eachRow calls f for every row.
func eachRow(rows int, f func(i int)) {
	blocks := par.Grain(rows, 512, 64)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, rows)
		for i := lo; i < hi; i++ {
			f(i)
		}
	})
}
