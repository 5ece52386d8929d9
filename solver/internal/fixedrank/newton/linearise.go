package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// Linearise computes the gradient at the present point, its norms, GapWithin and GapAll.
func (n *Iteration) Linearise() {
	e, f := gcg.Both(n.Model.Gradient(), n.left, n.right)
	c := gcg.TMul(n.left, e)
	n.setLambda(c)
	m := c.Clone()
	n.complementarity = 0
	for i, s := range n.sigma {
		m.Row(i)[i] -= n.lambda
		n.complementarity -= s * m.Row(i)[i]
	}
	m.Scale(-1)
	par.Do(
		func() { n.normExcess = c.SpectralNorm() - n.lambda },
		func() { n.norms.m = m.SpectralNorm() },
		func() { n.norms.a = factor.RoughOutside(e, c) },
		func() { n.norms.b = factor.RoughOutside(f, factor.Transposed(c, n.K())) },
	)
	gcg.Repay(c)
	n.grad = gradient{m, e, f}
	n.measure()
}

// A gradient is that of F in M, λI - C, and what those in A and B are made of, which are -(I-PPᵀ) G Q and -(I-QQᵀ) Gᵀ P.
type gradient struct {
	m  *gcg.Factor // k×k
	gq *gcg.Factor // G Q
	gp *gcg.Factor // Gᵀ P
}

// onBoundary is the part of ζ by which ρ may be below it for W to be on the boundary of a ball, as rescaling rounds.
const onBoundary = 1e-9

// setLambda takes λ = h'(ρ), or on the boundary of a ball the multiplier that makes the trace of λI - C vanish.
func (n *Iteration) setLambda(c *gcg.Factor) {
	rho, zeta := n.rho(), n.p.Penalty.Max()
	n.active, n.curve = false, 0
	if !math.IsInf(zeta, 1) {
		trace := c.Trace()
		n.active = rho >= zeta*(1-onBoundary) && trace > 0
		n.lambda = 0
		if n.active {
			n.lambda = trace / float64(n.K())
		}
		return
	}
	n.lambda = n.p.Penalty.Deriv(rho)
	n.curve = view.PenaltyCurvature(n.p.Penalty, rho)
}

// projected is the gradient as a tangent, which takes its memory.
func (n *Iteration) projected() tangent[float64] {
	g := n.grad
	n.grad = gradient{}
	for i := range n.K() {
		g.m.Row(i)[i] -= n.lambda // -C
	}
	g.gq.AddMul(n.left, g.m)
	g.gp.AddMul(n.right, factor.Transposed(g.m, n.K()))
	for i := range n.K() {
		g.m.Row(i)[i] += n.lambda
	}
	g.gq.Scale(-1)
	g.gp.Scale(-1)
	return tangent[float64]{g.m, g.gq, g.gp}
}
