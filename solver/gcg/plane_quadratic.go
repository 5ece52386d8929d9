package gcg

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A quadraticPlane is the inner products that a squared loss on a plane is made of, with weights and scale of the loss in
// them:
//
//	L(c, θ) = ½(c²·zz + 2cθ·za + θ²·aa) - c·zy - θ·ay + ½·yy
//
// With an intercept z and y are less its level.
type quadraticPlane struct{ zz, za, aa, zy, ay, yy float64 }

// newQuadraticPlane takes one pass over the observations.
func newQuadraticPlane(of *plane, q gcg.LeastSquares) *quadraticPlane {
	part := make([]quadraticPlane, of.p.Blocks())
	y, omega, e, level := q.Target(), q.Weights(), of.p.InterceptMap(), of.level
	par.For(len(part), func(t int) {
		lo, hi := of.p.Block(t)
		if omega == nil && level == nil {
			z, a, y := of.s.Z[lo:hi], of.d.z[lo:hi], y[lo:hi]
			part[t] = quadraticPlane{zz: kernel.SumSq(z), za: kernel.Dot(z, a), aa: kernel.SumSq(a),
				zy: kernel.Dot(z, y), ay: kernel.Dot(a, y), yy: kernel.SumSq(y)}
			return
		}
		var m quadraticPlane
		var levels []float64 // of this block
		if level != nil {
			levels = memory.Borrow[float64](hi - lo)
			defer memory.Repay(levels)
			e.To(levels, lo, level)
		}
		for i := lo; i < hi; i++ {
			w, z, a, yi := 1.0, of.s.Z[i], of.d.z[i], y[i]
			if omega != nil {
				w = omega[i]
			}
			if level != nil {
				b := levels[i-lo]
				z, yi = z-b, yi-b
			}
			m.zz += w * z * z
			m.za += w * z * a
			m.aa += w * a * a
			m.zy += w * z * yi
			m.ay += w * a * yi
			m.yy += w * yi * yi
		}
		part[t] = m
	})
	var sum quadraticPlane
	c := q.Scale()
	for _, m := range part {
		sum.zz += c * m.zz
		sum.za += c * m.za
		sum.aa += c * m.aa
		sum.zy += c * m.zy
		sum.ay += c * m.ay
		sum.yy += c * m.yy
	}
	return &sum
}

// squaresPlane is the quadraticPlane of data that keeps its observations to itself, from their sums, with y = z + r.
func squaresPlane(s *gcg.State, d *stepDirection, q gcg.Squares) *quadraticPlane {
	u, v := d.factors(s.W)
	var m quadraticPlane
	if s.W.Rank() == 0 {
		_, _, m.aa = q.Cross(u, v, u, v)
	} else {
		m.zz, m.za, m.aa = q.Cross(s.W.U, s.W.V, u, v)
	}
	rr, ry := q.Sums()
	zr := ry - rr
	m.zy = m.zz + zr
	m.ay = m.za + d.gain
	m.yy = m.zz + 2*zr + rr
	return &m
}
