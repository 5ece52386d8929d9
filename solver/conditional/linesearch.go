package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
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
const decreaseRounding = 1e-13

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
