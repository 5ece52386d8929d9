package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// jointSearch minimises F(c, θ) = L(c·z₀ + θ·a) + h(cρ + θ) over c, θ ≥ 0 and, for a ball, cρ + θ ≤ ζ, by safeguarded Newton
// steps with an active set; a squared loss with a linear penalty takes one. It ends where a step promises less than the part
// tol of what was gained.
func jointSearch(p *view.Problem, s *gcg.State, d *stepDirection, tol float64) (c, theta float64) {
	m := newPlane(p, s, d)
	c, theta = 1, 0
	f := m.objective(c, theta)
	start := f
	for range 60 {
		dc, dt, decrease := m.newtonStep(c, theta)
		if decrease < tol*(start-f) {
			break
		}
		if !(decrease > decreaseRounding*math.Abs(f)) { // F no longer tells two points apart: go by the gradient
			if decrease > 0 {
				c, theta = m.feasible(c+dc, theta+dt)
			}
			break
		}
		nc, nt, g := m.lineSearch(c, theta, dc, dt, f, decrease)
		if !(g < f) {
			break
		}
		c, theta, f = nc, nt, g
	}
	return c, theta
}

// decreaseRounding is the part of F below which what a step promises cannot be told from rounding.
const decreaseRounding = rounding.Product

// lineSearch goes from (c, θ), where F is f, along (dc, dt), halving the step until F falls. Where the whole step lowers F
// by much more than the model promised, the second derivatives were a bound and the step is doubled while F falls: the kink
// of a Huber loss may be as far away as its targets.
func (m *plane) lineSearch(c, theta, dc, dt, f, promised float64) (nc, nt, g float64) {
	at := func(step float64) (x, y, value float64) {
		x, y = m.feasible(c+step*dc, theta+step*dt)
		return x, y, m.objective(x, y)
	}
	step := 1.0
	nc, nt, g = at(step)
	for range 40 {
		if g < f {
			break
		}
		step /= 2
		nc, nt, g = at(step)
	}
	if step < 1 || !(f-g > farFall*promised) {
		return nc, nt, g
	}
	for range 1000 {
		step *= 2
		x, y, value := at(step)
		if !(value < g) {
			break
		}
		nc, nt, g = x, y, value
	}
	return nc, nt, g
}

// farFall is how many times the promised decrease F must fall by for longer steps to be tried. It falls once as much where
// second derivatives are right, and twice where there are none.
const farFall = 1.5

// feasible clips a point into c, θ ≥ 0, and scales it into the ball.
func (m *plane) feasible(c, theta float64) (float64, float64) {
	c, theta = math.Max(c, 0), math.Max(theta, 0)
	if rho := c*m.s.Rho + theta; rho > m.p.Penalty.Max() {
		by := m.p.Penalty.Max() / rho
		c, theta = c*by, theta*by
	}
	return c, theta
}

// newtonStep is the step to the minimiser of the quadratic model at (c, θ) on the feasible set, and the decrease that the
// model promises. The candidates are the free minimum and those on the edges: θ = 0, c = 0, and the ball's boundary.
func (m *plane) newtonStep(c, theta float64) (dc, dt, decrease float64) {
	d := m.model(c, theta)
	rho, zeta, equal := m.s.Rho, m.p.Penalty.Max(), view.HoldsGauge(m.p.Penalty)
	consider := func(x, y float64) {
		above, below := 1+view.DomainRounding, 1-view.DomainRounding
		at := (c+x)*rho + theta + y
		if x < -c*above || y < -theta*above-1e-300 || at > zeta*above || equal && at < zeta*below {
			return
		}
		if fall := -d.change(x, y); fall > decrease {
			dc, dt, decrease = x, y, fall
		}
	}
	if det := d.cc*d.tt - d.ct*d.ct; det > 0 {
		consider((d.ct*d.t-d.tt*d.c)/det, (d.ct*d.c-d.cc*d.t)/det)
	}
	if d.cc > 0 {
		consider((-d.c+d.ct*theta)/d.cc, -theta) // θ = 0
		consider(-d.c/d.cc, 0)
	}
	if d.tt > 0 {
		consider(-c, (-d.t+d.ct*c)/d.tt) // c = 0
		consider(0, -d.t/d.tt)
	}
	consider(-c, -theta)
	m.boundary(c, theta, d, consider)
	return dc, dt, decrease
}

// ridge raises the diagonal of the model by a few units in the last place, so that two collinear directions have a minimum.
const ridge = 1 + 1e-15

// model is F at (c, θ) to second order.
func (m *plane) model(c, theta float64) expansion {
	d := m.derivatives(c, theta)
	rho := m.s.Rho
	if slope := m.p.Penalty.Deriv(math.Min(c*rho+theta, m.p.Penalty.Max())); !math.IsInf(slope, 0) {
		bend := view.PenaltyCurvature(m.p.Penalty, rho)
		d.add(expansion{rho * slope, slope, rho * rho * bend, rho * bend, bend})
	}
	if rho == 0 { // W = 0: its weight means nothing
		d.c, d.cc, d.ct = 0, 0, 0
	}
	d.cc, d.tt = d.cc*ridge, d.tt*ridge
	return d
}

// boundary considers the minimum along cρ + θ = ζ and the ends of that line, as steps from (c, θ).
func (m *plane) boundary(c, theta float64, d expansion, consider func(x, y float64)) {
	zeta, rho := m.p.Penalty.Max(), m.s.Rho
	if math.IsInf(zeta, 1) {
		return
	}
	at := func(x float64) float64 { return zeta - (c+x)*rho - theta } // y on the line
	consider(-c, at(-c))
	if rho == 0 {
		return
	}
	consider((zeta-theta)/rho-c, at((zeta-theta)/rho-c)) // keep θ
	consider(zeta/rho-c, -theta)
	// q(x) = along (1, -ρ) from the point (0, at(0)).
	y0 := at(0)
	slope := d.c - rho*d.t + d.ct*y0 - rho*d.tt*y0
	curve := d.cc - 2*rho*d.ct + rho*rho*d.tt
	if curve > 0 {
		x := math.Max(-c, math.Min(-slope/curve, zeta/rho-c))
		consider(x, at(x))
	}
}

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
	var loss, plain expansion // plain: of ½‖c·z₀ + θ·a‖²
	sums := m.p.Sums(8, func(lo, hi int, sums []float64) {
		room := memory.Borrow[float64](3 * (hi - lo))
		defer memory.Repay(room)
		z, r, d := room[:hi-lo], room[hi-lo:2*(hi-lo)], room[2*(hi-lo):]
		m.predictions(z, lo, c, theta)
		m.p.Loss.Eval(lo, z, r)
		old, a := m.old(lo, hi), m.d.z[lo:hi]
		sums[0], sums[1] = -kernel.Dot(r, old), -kernel.Dot(r, a)
		m.p.HessAlongTo(d, lo, z, r, old)
		sums[2], sums[3] = kernel.Dot(d, old), kernel.Dot(d, a)
		m.p.HessAlongTo(d, lo, z, r, a)
		sums[4] = kernel.Dot(d, a)
		sums[5], sums[6], sums[7] = kernel.Dot(old, old), kernel.Dot(old, a), kernel.Dot(a, a)
	})
	loss = expansion{sums[0], sums[1], sums[2], sums[3], sums[4]}
	plain.cc, plain.ct, plain.tt = sums[5], sums[6], sums[7]
	if curved := m.p.Curved; curved != nil && !math.IsInf(curved.Curvature(), 1) {
		loss.stiffen(plain, m.p.CurvatureAt(curved, m.s.Z))
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

// A quadraticPlane is the inner products that a squared loss on a plane is made of, with weights and scale of the loss in
// them:
//
//	L(c, θ) = ½(c²·zz + 2cθ·za + θ²·aa) - c·zy - θ·ay + ½·yy
//
// With an intercept z and y are less its level.
type quadraticPlane struct{ zz, za, aa, zy, ay, yy float64 }

// newQuadraticPlane takes one pass over the observations.
func newQuadraticPlane(of *plane, q gcg.LeastSquares) *quadraticPlane {
	c := q.Scale()
	sums := of.p.Sums(6, func(lo, hi int, sums []float64) {
		m := of.quadraticOn(lo, hi, q)
		sums[0], sums[1], sums[2] = c*m.zz, c*m.za, c*m.aa
		sums[3], sums[4], sums[5] = c*m.zy, c*m.ay, c*m.yy
	})
	return &quadraticPlane{zz: sums[0], za: sums[1], aa: sums[2], zy: sums[3], ay: sums[4], yy: sums[5]}
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
