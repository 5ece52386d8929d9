package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A plane is F on the two-parameter family z(c, θ) = e + c·z₀ + θ·a, ρ(c, θ) = cρ + θ, where e is the intercept's part,
// z₀ = A(W) and a the predictions of the new atom: the joint search of [Yu17 eq 40] in the tighter form
// ℓ(cW + θa) + h(cρ + θ). With an intercept e is the level of the predictions at W, and z₀ and a are less their means.
type plane struct {
	p     *view.Problem
	s     *gcg.State
	d     *stepDirection
	level []float64       // nil without an intercept
	quad  *quadraticPlane // closed form for a squared loss
}

// newPlane takes the closed form where the loss has one.
func newPlane(p *view.Problem, s *gcg.State, d *stepDirection) *plane {
	m := &plane{p: p, s: s, d: d}
	if s.Intercept != nil {
		m.level = p.InterceptMap().Means(s.Z)
	}
	if p.Squares != nil {
		m.quad = squaresPlane(s, d, p.Squares)
	} else if p.LeastSquares != nil {
		m.quad = newQuadraticPlane(m, p.LeastSquares)
	}
	return m
}

// loss is L at (c, θ).
func (m *plane) loss(c, theta float64) float64 {
	if q := m.quad; q != nil {
		return (c*c*q.zz+theta*theta*q.aa+q.yy)/2 + c*theta*q.za - c*q.zy - theta*q.ay
	}
	return m.p.Sum(func(lo, hi int) float64 {
		z := memory.Borrow[float64](hi - lo)
		defer memory.Repay(z)
		m.predictions(z, lo, c, theta)
		return m.p.Loss.Eval(lo, z, nil)
	})
}

// predictions writes z(c, θ) for the observations from lo on.
func (m *plane) predictions(z []float64, lo int, c, theta float64) {
	copy(z, m.s.Z[lo:])
	if m.level == nil {
		kernel.Scale(c, z)
	} else {
		level := memory.Borrow[float64](len(z))
		defer memory.Repay(level)
		m.p.InterceptMap().To(level, lo, m.level)
		for i, b := range level {
			z[i] = b + c*(z[i]-b)
		}
	}
	kernel.Axpy(theta, m.d.z[lo:lo+len(z)], z)
}

// objective is F at (c, θ).
func (m *plane) objective(c, theta float64) float64 {
	return m.loss(c, theta) + m.p.Penalty.Value(c*m.s.Rho+theta)
}

// An expansion is a function of (c, θ) to second order around a point: its gradient (c, t) and Hessian (cc, ct, tt).
type expansion struct{ c, t, cc, ct, tt float64 }

func (d *expansion) add(o expansion) {
	d.c, d.t = d.c+o.c, d.t+o.t
	d.cc, d.ct, d.tt = d.cc+o.cc, d.ct+o.ct, d.tt+o.tt
}

// change is what the function changes by, to second order, from that point to (x, y) beyond it.
func (d *expansion) change(x, y float64) float64 {
	return d.c*x + d.t*y + (d.cc*x*x+2*d.ct*x*y+d.tt*y*y)/2
}

// derivatives are those of L at (c, θ), with second derivatives that are at least a little of their bound, see stiffen.
func (m *plane) derivatives(c, theta float64) expansion {
	if q := m.quad; q != nil {
		return expansion{c*q.zz + theta*q.za - q.zy, c*q.za + theta*q.aa - q.ay, q.zz, q.za, q.aa}
	}
	part := make([]struct{ loss, plain expansion }, m.p.Blocks()) // plain: of ½‖c·z₀ + θ·a‖²
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
		m.p.HessAlongTo(d, lo, z, r, old)
		s.loss.cc, s.loss.ct = kernel.Dot(d, old), kernel.Dot(d, a)
		m.p.HessAlongTo(d, lo, z, r, a)
		s.loss.tt = kernel.Dot(d, a)
		s.plain.cc, s.plain.ct, s.plain.tt = kernel.Dot(old, old), kernel.Dot(old, a), kernel.Dot(a, a)
	})
	var loss, plain expansion
	for _, s := range part {
		loss.add(s.loss)
		plain.add(s.plain)
	}
	if curved := m.p.Curved; curved != nil && !math.IsInf(curved.Curvature(), 1) {
		loss.stiffen(plain, curved.Curvature())
	}
	return loss
}

// stiffen adds a small part of bound times those of plain to the second derivatives; where they have less than that along
// the atom it takes the bound in their place. plain is ½‖c·z₀ + θ·a‖² and bound is that of ∇²L.
func (d *expansion) stiffen(plain expansion, bound float64) {
	if d.tt >= leastCurve*bound*plain.tt { // in the plane there may be less than along a
		bound *= leastCurve
	} else {
		d.cc, d.ct, d.tt = 0, 0, 0
	}
	d.cc, d.ct, d.tt = d.cc+bound*plain.cc, d.ct+bound*plain.ct, d.tt+bound*plain.tt
}

// leastCurve is the part of their bound that second derivatives are taken to have at least. Those of a hinge or a Huber loss
// vanish where it is straight for all observations but a few, and a Newton step would go any distance.
const leastCurve = 1e-8

// old is z₀ on a block.
func (m *plane) old(lo, hi int) []float64 {
	if m.level == nil {
		return m.s.Z[lo:hi]
	}
	z := make([]float64, hi-lo)
	m.p.InterceptMap().To(z, lo, m.level)
	for i, b := range z {
		z[i] = m.s.Z[lo+i] - b
	}
	return z
}
