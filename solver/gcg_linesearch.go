package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// jointSearch minimises F(c, θ) = L(c·z₀ + θ·a) + h(cρ + θ) over c, θ ≥ 0 and, for a ball, cρ + θ ≤ ζ: safeguarded Newton
// steps on the two variables with an active set, one step for a squared loss with a linear penalty. It ends where a step
// promises less than the fraction tol of what was won.
func jointSearch(p *gcg.Problem, s *gcg.State, b *bundle, tol float64) (c, theta float64) {
	m := newPlane(p, s, b)
	c, theta = 1, 0
	f := m.objective(c, theta)
	start := f
	for range 60 {
		dc, dt, decrease := m.newtonStep(c, theta)
		if decrease < tol*(start-f) {
			break
		}
		if !(decrease > 1e-13*math.Abs(f)) { // F no longer tells two points apart: go by the gradient
			if decrease > 0 {
				c, theta = m.feasible(c+dc, theta+dt)
			}
			break
		}
		step, moved := 1.0, false
		for range 40 {
			nc, nt := m.feasible(c+step*dc, theta+step*dt)
			if g := m.objective(nc, nt); g < f {
				c, theta, f, moved = nc, nt, g, true
				break
			}
			step /= 2
		}
		if !moved {
			break
		}
	}
	return c, theta
}

// feasible clips a point into c, θ ≥ 0, and scales it into the ball.
func (m *plane) feasible(c, theta float64) (float64, float64) {
	c, theta = math.Max(c, 0), math.Max(theta, 0)
	if over := c*m.s.Rho + theta; over > m.p.Penalty.Max() {
		by := m.p.Penalty.Max() / over
		c, theta = c*by, theta*by
	}
	return c, theta
}

// newtonStep is the minimiser of the quadratic model at (c, θ) on the feasible set, as a step, and the decrease that the
// model promises. Its candidates are the free minimum and those on each edge: θ = 0, c = 0, and the ball's boundary.
func (m *plane) newtonStep(c, theta float64) (dc, dt, decrease float64) {
	gc, gt, hcc, hct, htt := m.derivatives(c, theta)
	rho := m.s.Rho
	if slope := m.p.Penalty.Deriv(math.Min(c*rho+theta, m.p.Penalty.Max())); !math.IsInf(slope, 0) {
		curve := bendOf(m.p.Penalty, rho)
		gc, gt = gc+rho*slope, gt+slope
		hcc, hct, htt = hcc+rho*rho*curve, hct+rho*curve, htt+curve
	}
	if rho == 0 { // W = 0: its weight means nothing
		gc, hcc, hct = 0, 0, 0
	}
	ridge := 1e-15
	hcc, htt = hcc*(1+ridge), htt*(1+ridge)
	zeta, equal := m.p.Penalty.Max(), equality(m.p.Penalty)
	consider := func(x, y float64) {
		at := (c+x)*rho + theta + y
		if x < -c*(1+1e-12) || y < -theta*(1+1e-12)-1e-300 || at > zeta*(1+1e-12) || equal && at < zeta*(1-1e-12) {
			return
		}
		if d := -(gc*x + gt*y) - (hcc*x*x+2*hct*x*y+htt*y*y)/2; d > decrease {
			dc, dt, decrease = x, y, d
		}
	}
	if det := hcc*htt - hct*hct; det > 0 {
		consider((hct*gt-htt*gc)/det, (hct*gc-hcc*gt)/det)
	}
	if hcc > 0 {
		consider((-gc+hct*theta)/hcc, -theta) // θ = 0
		consider(-gc/hcc, 0)
	}
	if htt > 0 {
		consider(-c, (-gt+hct*c)/htt) // c = 0
		consider(0, -gt/htt)
	}
	consider(-c, -theta)
	m.boundary(c, theta, gc, gt, hcc, hct, htt, consider)
	return dc, dt, decrease
}

// boundary considers the minimum along cρ + θ = ζ, and its ends.
func (m *plane) boundary(c, theta, gc, gt, hcc, hct, htt float64, consider func(x, y float64)) {
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
	slope := gc - rho*gt + hct*y0 - rho*htt*y0
	curve := hcc - 2*rho*hct + rho*rho*htt
	if curve > 0 {
		x := math.Max(-c, math.Min(-slope/curve, zeta/rho-c))
		consider(x, at(x))
	}
}
