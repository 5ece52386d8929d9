package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// A plane is F on the two-parameter family z(c, θ) = e + c·z₀ + θ·a, ρ(c, θ) = cρ + θ, where e is the intercept's part,
// z₀ = A(W) and a the predictions of the new atom: the joint search of [Yu17 eq 40] in the tighter form
// ℓ(cW + θa) + h(cρ + θ). With an intercept e is the level of the predictions at W, and z₀ and a are less their means.
type plane struct {
	p     *gcg.Problem
	s     *gcg.State
	d     *stepDirection
	level []float64       // nil without an intercept
	quad  *quadraticPlane // closed form for a squared loss
}

// quadraticPlane is L = ½(c·zz·c + 2cθ·za + θ·aa·θ) - c·zy - θ·ay + const, in the loss's own metric.
type quadraticPlane struct{ zz, za, aa, zy, ay, yy float64 }

func newPlane(p *gcg.Problem, s *gcg.State, d *stepDirection) *plane {
	m := &plane{p: p, s: s, d: d}
	if s.Intercept != nil {
		m.level = p.Places().Means(s.Z)
	}
	if q, ok := p.Operator.(gcg.Squares); ok {
		m.quad = squaresPlane(s, d, q)
	} else if q, ok := p.Loss.(gcg.LeastSquares); ok {
		m.quad = newQuadraticPlane(m, q)
	}
	return m
}

func newQuadraticPlane(of *plane, q gcg.LeastSquares) *quadraticPlane {
	part := make([]quadraticPlane, of.p.Blocks())
	y, omega, e, level := q.Target(), q.Weights(), of.p.Places(), of.level
	par.For(len(part), func(t int) {
		lo, hi := of.p.Block(t)
		if omega == nil && level == nil {
			z, a, y := of.s.Z[lo:hi], of.d.z[lo:hi], y[lo:hi]
			part[t] = quadraticPlane{zz: kernel.SumSq(z), za: kernel.Dot(z, a), aa: kernel.SumSq(a), zy: kernel.Dot(z, y), ay: kernel.Dot(a, y), yy: kernel.SumSq(y)}
			return
		}
		var m quadraticPlane
		for i := lo; i < hi; i++ {
			w, z, a, yi := 1.0, of.s.Z[i], of.d.z[i], y[i]
			if omega != nil {
				w = omega[i]
			}
			if level != nil {
				z, yi = z-level[e.At(i)], yi-level[e.At(i)]
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

// loss is L at (c, θ).
func (m *plane) loss(c, theta float64) float64 {
	if q := m.quad; q != nil {
		return (c*c*q.zz+theta*theta*q.aa+q.yy)/2 + c*theta*q.za - c*q.zy - theta*q.ay
	}
	return par.Sum(m.p.Blocks(), func(t int) float64 {
		lo, hi := m.p.Block(t)
		z := memory.Borrow[float64](hi - lo)
		defer memory.Repay(z)
		m.predictions(z, lo, c, theta)
		return m.p.Loss.Eval(lo, z, nil)
	})
}

// predictions writes z(c, θ) on a block.
func (m *plane) predictions(z []float64, lo int, c, theta float64) {
	copy(z, m.s.Z[lo:])
	if m.level == nil {
		kernel.Scale(c, z)
	} else {
		e := m.p.Places()
		for i := range z {
			b := m.level[e.At(lo+i)]
			z[i] = b + c*(z[i]-b)
		}
	}
	kernel.Axpy(theta, m.d.z[lo:lo+len(z)], z)
}

func (m *plane) objective(c, theta float64) float64 {
	return m.loss(c, theta) + m.p.Penalty.Value(c*m.s.Rho+theta)
}

// A slant is a function of (c, θ) to second order: its gradient and its Hessian.
type slant struct{ c, t, cc, ct, tt float64 }

func (d *slant) add(o slant) {
	d.c, d.t = d.c+o.c, d.t+o.t
	d.cc, d.ct, d.tt = d.cc+o.cc, d.ct+o.ct, d.tt+o.tt
}

// rise is what it adds from the origin to (x, y).
func (d *slant) rise(x, y float64) float64 {
	return d.c*x + d.t*y + (d.cc*x*x+2*d.ct*x*y+d.tt*y*y)/2
}

// derivatives are those of L at (c, θ).
func (m *plane) derivatives(c, theta float64) slant {
	if q := m.quad; q != nil {
		return slant{c*q.zz + theta*q.za - q.zy, c*q.za + theta*q.aa - q.ay, q.zz, q.za, q.aa}
	}
	part := make([]struct{ loss, plain slant }, m.p.Blocks()) // plain: of ½‖c·z₀ + θ·a‖²
	par.For(len(part), func(t int) {
		lo, hi := m.p.Block(t)
		room := memory.Borrow[float64](3 * (hi - lo))
		defer memory.Repay(room)
		z, r, d := room[:hi-lo], room[hi-lo:2*(hi-lo)], room[2*(hi-lo):]
		m.predictions(z, lo, c, theta)
		m.p.Loss.Eval(lo, z, r)
		old, a := m.old(lo, hi), m.d.z[lo:hi]
		s := &part[t]
		s.loss.c, s.loss.t = -kernel.Dot(r, old), -kernel.Dot(r, a)
		hessTo(m.p.Loss, d, lo, z, r, old)
		s.loss.cc, s.loss.ct = kernel.Dot(d, old), kernel.Dot(d, a)
		hessTo(m.p.Loss, d, lo, z, r, a)
		s.loss.tt = kernel.Dot(d, a)
		s.plain.cc, s.plain.ct, s.plain.tt = kernel.Dot(old, old), kernel.Dot(old, a), kernel.Dot(a, a)
	})
	var loss, plain slant
	for _, s := range part {
		loss.add(s.loss)
		plain.add(s.plain)
	}
	if curved, ok := m.p.Loss.(gcg.CurvedLoss); ok && !math.IsInf(curved.Curvature(), 1) {
		loss.stiffen(plain, curved.Curvature())
	}
	return loss
}

// stiffen adds a little of their bound, times plain, to second derivatives, or takes the bound for them, see leastCurve.
func (d *slant) stiffen(plain slant, bound float64) {
	if d.tt >= leastCurve*bound*plain.tt { // in the plane there may be less than along a
		bound *= leastCurve
	} else {
		d.cc, d.ct, d.tt = 0, 0, 0
	}
	d.cc, d.ct, d.tt = d.cc+bound*plain.cc, d.ct+bound*plain.ct, d.tt+bound*plain.tt
}

// leastCurve is the part of their bound that second derivatives are taken to have: they vanish where a hinge or a Huber loss is
// straight for all observations but a few, and steps of any length would follow. Along the atom their bound takes their place.
const leastCurve = 1e-8

// hessTo is dst = ∇²L(z) e on a block; of a loss without second derivatives, the difference of r = -∇L(z) along e, which is
// as good as the first four digits: line searches correct themselves.
func hessTo(l gcg.Loss, dst []float64, lo int, z, r, e []float64) {
	switch c := l.(type) {
	case gcg.MemoizedLoss:
		c.HessFromTo(dst, lo, r, e)
		return
	case gcg.CurvedLoss:
		c.HessTo(dst, lo, z, e)
		return
	}
	var size, length float64
	for i := range z {
		size, length = math.Max(size, math.Abs(z[i])), math.Max(length, math.Abs(e[i]))
	}
	if length == 0 {
		clear(dst)
		return
	}
	if size == 0 {
		size = 1
	}
	step := 1e-4 * size / length
	for i := range z {
		dst[i] = z[i] + step*e[i]
	}
	l.Eval(lo, dst, dst)
	for i := range r {
		dst[i] = (r[i] - dst[i]) / step
	}
}

// old is z₀ on a block.
func (m *plane) old(lo, hi int) []float64 {
	if m.level == nil {
		return m.s.Z[lo:hi]
	}
	e, z := m.p.Places(), make([]float64, hi-lo)
	for i := range z {
		z[i] = m.s.Z[lo+i] - m.level[e.At(lo+i)]
	}
	return z
}

// boundStep minimises the quadratic upper bound with constant L over θ ≥ 0, for c = 1-η.
func (m *plane) boundStep(l, eta float64) float64 {
	za, aa := m.inner()
	if aa == 0 {
		return 0
	}
	slope := m.p.Penalty.Deriv((1 - eta) * m.s.Rho)
	curve := bendOf(m.p.Penalty, m.s.Rho)
	return math.Max(m.d.gain+eta*l*za-slope, 0) / (l*aa + curve)
}

// bendOf is h″, constant for the penalties that have one; 0 where h′ is not finite.
func bendOf(h gcg.Penalty, rho float64) float64 {
	x := rho
	if !(x > 0) {
		x = 1
	}
	d := h.Deriv(2*x) - h.Deriv(x)
	if math.IsInf(d, 0) || math.IsNaN(d) {
		return 0
	}
	return math.Max(0, d/x)
}

// inner is ⟨A(W), a⟩ and ‖a‖² in the plain metric of predictions.
func (m *plane) inner() (za, aa float64) {
	part := make([][2]float64, m.p.Blocks())
	par.For(len(part), func(t int) {
		lo, hi := m.p.Block(t)
		z, a := m.old(lo, hi), m.d.z[lo:hi]
		part[t] = [2]float64{kernel.Dot(z, a), kernel.Dot(a, a)}
	})
	for _, s := range part {
		za += s[0]
		aa += s[1]
	}
	return za, aa
}

// bounded reports whether L(z + d) ≤ L(z) + ⟨∇L, d⟩ + L/2 ‖d‖² at the step (c, θ).
func (m *plane) bounded(l, c, theta float64) bool {
	part := make([][2]float64, m.p.Blocks())
	par.For(len(part), func(t int) {
		lo, hi := m.p.Block(t)
		z, a := m.old(lo, hi), m.d.z[lo:hi]
		for i := range a {
			d := (c-1)*z[i] + theta*a[i]
			part[t][0] -= m.s.R[lo+i] * d
			part[t][1] += d * d
		}
	})
	var slope, square float64
	for _, s := range part {
		slope += s[0]
		square += s[1]
	}
	return m.loss(c, theta) <= m.s.Loss+slope+l/2*square+1e-14*math.Abs(m.s.Loss)
}

// curvatureAlong is ⟨a, ∇²L a⟩ at the state's predictions.
func curvatureAlong(p *gcg.Problem, s *gcg.State, a []float64) float64 {
	return par.Sum(p.Blocks(), func(t int) float64 {
		lo, hi := p.Block(t)
		d := memory.Borrow[float64](hi - lo)
		defer memory.Repay(d)
		hessTo(p.Loss, d, lo, s.Z[lo:hi], s.R[lo:hi], a[lo:hi])
		return kernel.Dot(d, a[lo:hi])
	})
}
