package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// linearise computes the gradient at the present point, its norms and the inner gap.
func (n *newton) linearise() {
	e, f := gcg.Both(n.model.gradient(), n.left, n.right)
	c := gcg.TMul(n.left, e)
	n.setSlope(c)
	m := c.Clone()
	n.slack = 0
	for i, s := range n.sigma {
		m.Row(i)[i] -= n.slope
		n.slack -= s * m.Row(i)[i]
	}
	m.Scale(-1)
	par.Do(
		func() { n.over = c.SpectralNorm() - n.slope },
		func() { n.norms.m = m.SpectralNorm() },
		func() { n.norms.a = roughOutside(e, c) },
		func() { n.norms.b = roughOutside(f, transposed(c, n.k())) },
	)
	gcg.Repay(c)
	n.grad = gradient{m, e, f}
	n.measure()
}

// A gradient is that of F in M, λI - C, and what those in A and B are made of, which are -(I-PPᵀ) G Q and -(I-QQᵀ) Gᵀ P.
type gradient struct {
	m  *gcg.Factor
	gq *gcg.Factor // G Q
	gp *gcg.Factor // Gᵀ P
}

// setSlope takes λ = h'(ρ), or on the boundary of a ball the multiplier that makes the trace of λI - C vanish.
func (n *newton) setSlope(c *gcg.Factor) {
	rho, zeta := n.rho(), n.p.Penalty.Max()
	n.active, n.curve = false, 0
	if !math.IsInf(zeta, 1) {
		trace := c.Trace()
		n.active = rho >= zeta*(1-1e-9) && trace > 0
		n.slope = 0
		if n.active {
			n.slope = trace / float64(n.k())
		}
		return
	}
	n.slope = n.p.Penalty.Deriv(rho)
	n.curve = penaltyCurvature(n.p.Penalty, rho)
}

// projected is the gradient as a tangent, which takes it over.
func (n *newton) projected() tangent[float64] {
	g := n.grad
	n.grad = gradient{}
	for i := range n.k() {
		g.m.Row(i)[i] -= n.slope // -C
	}
	g.gq.AddMul(n.left, g.m)
	g.gp.AddMul(n.right, transposed(g.m, n.k()))
	for i := range n.k() {
		g.m.Row(i)[i] += n.slope
	}
	g.gq.Scale(-1)
	g.gp.Scale(-1)
	return tangent[float64]{g.m, g.gq, g.gp}
}
