package conditional

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
	par.For(len(part), func(t int) {
		lo, hi := of.p.Block(t)
		part[t] = of.quadraticOn(lo, hi, q)
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

// quadraticOn are the inner products of a block of observations, before the scale of the loss.
func (m *plane) quadraticOn(lo, hi int, q gcg.LeastSquares) (sum quadraticPlane) {
	z, a, y, omega := m.s.Z[lo:hi], m.d.z[lo:hi], q.Target()[lo:hi], q.Weights()
	if omega == nil && m.level == nil {
		return quadraticPlane{zz: kernel.SumSq(z), za: kernel.Dot(z, a), aa: kernel.SumSq(a),
			zy: kernel.Dot(z, y), ay: kernel.Dot(a, y), yy: kernel.SumSq(y)}
	}
	var levels []float64 // of this block
	if m.level != nil {
		levels = memory.Borrow[float64](hi - lo)
		defer memory.Repay(levels)
		m.p.InterceptMap().To(levels, lo, m.level)
	}
	for i := range z {
		w, z, a, y := 1.0, z[i], a[i], y[i]
		if omega != nil {
			w = omega[lo+i]
		}
		if levels != nil {
			z, y = z-levels[i], y-levels[i]
		}
		sum.zz += w * z * z
		sum.za += w * z * a
		sum.aa += w * a * a
		sum.zy += w * z * y
		sum.ay += w * a * y
		sum.yy += w * y * y
	}
	return sum
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
