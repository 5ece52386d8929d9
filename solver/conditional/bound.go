package conditional

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// boundStep is θ of the quadratic upper bound with constant L, for c = 1-η.
func (m *plane) boundStep(l, eta float64) float64 {
	za, aa := m.products()
	if aa == 0 {
		return 0
	}
	slope := m.p.Penalty.Deriv((1 - eta) * m.s.Rho)
	curve := view.PenaltyCurvature(m.p.Penalty, m.s.Rho)
	return math.Max(m.d.gain+eta*l*za-slope, 0) / (l*aa + curve)
}

// products are ⟨z₀, a⟩ and ‖a‖².
func (m *plane) products() (za, aa float64) {
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

// bounded reports whether L(z + d) ≤ L(z) + ⟨∇L, d⟩ + L/2 ‖d‖² holds, but for rounding, for the d of a step (c, θ).
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
	return m.loss(c, theta) <= m.s.Loss+slope+l/2*square+view.Rounding*math.Abs(m.s.Loss)
}

// quadratic is the step (keep, θ) = (1-η, θ) of the rules other than the line search, with θ from the quadratic upper bound
// at (1-η)W ([Yu17 Remark 13], which prints 1 for λ), in the metric of predictions:
//
//	θ = max(⟨a, G⟩ + ηL⟨A(a), A(W)⟩ - h'((1-η)ρ), 0) / (L‖A(a)‖² + h″)
//
// On a ball it is the classical step θ = ηζ.
func (g *GCG) quadratic(p *view.Problem, s *gcg.State, d *stepDirection) (keep, theta float64) {
	t := float64(s.Iter)
	eta := 2 / (t + 2)
	switch g.Rule {
	case OpenLoop1:
		eta = 1 / (t + 1)
	case ConstantStep:
		h := float64(g.Horizon)
		eta = 1 - math.Pow(h+1, -1/h)
	}
	if p.Penalty.Max() < math.Inf(1) {
		return 1 - eta, eta * p.Penalty.Max() // classical conditional gradient
	}
	m := newPlane(p, s, d)
	if g.Rule == QuadraticBound {
		if k0, t0 := g.backtrack(m, 0); m.objective(k0, t0) < s.Objective(p.Problem) {
			k1, t1 := g.backtrack(m, eta)
			if m.objective(k0, t0) <= m.objective(k1, t1) {
				return k0, t0
			}
			return k1, t1
		}
	}
	return g.backtrack(m, eta)
}

// backtrack doubles L until the upper bound holds at the step that it gives, and returns that.
func (g *GCG) backtrack(m *plane, eta float64) (keep, theta float64) {
	for range 60 {
		keep = 1 - eta
		theta = m.boundStep(g.lipschitz, eta)
		if m.bounded(g.lipschitz, keep, theta) {
			break
		}
		g.lipschitz *= 2
	}
	return keep, theta
}
