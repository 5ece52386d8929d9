package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
)

// newton is the state of the inner iteration: where it is, and what it knows. A step that does not lower F is undone with
// all that it learnt, see back.
type newton struct {
	p     *view.Problem
	model factorModel
	grain func(f float64) float64 // of the state

	position
	outskirts
	stepping
}

// A position is W = P S Qᵀ, with what F and its gradient are there. C = PᵀGQ is the part of G = -∇ℓ(W) within the spaces of
// W.
type position struct {
	left, right *gcg.Factor // P and Q
	sigma       []float64   // S
	loss, f     float64

	slope  float64 // λ = h'(ρ), or the multiplier of an active ball
	curve  float64 // h″(ρ)
	active bool    // W is on the boundary of a ball and stays there: tr M = 0

	grad  gradient // of F, until coordinates take it over
	norms norms    // of the gradient
	over  float64  // ‖C‖ - λ
	slack float64  // λρ - ⟨W, G⟩
	inner float64  // the inner gap: the relative gap within the spaces of W, see measure
	far   float64  // the excess of the whole gradient, which is more than inner where directions are on their way to 0
}

// outskirts are what is known of D = (I-PPᵀ) G (I-QQᵀ), the part of G outside the spaces of W.
type outskirts struct {
	rest    float64     // ‖D‖ as the last certificate saw it, or 0
	beyond  float64     // ‖D‖ as the fit of a preconditioner last saw it, or 0
	unasked bool        // sweeps found the rank to be enough, and no certificate has been asked since: fitted pairs tell of ‖D‖ meanwhile
	near    *gcg.Factor // about the right vectors of the leading pairs of D, or nil
	fitted  *pairs      // those pairs, as they were last fitted to a gradient, or nil
}

// stepping is how steps are taken.
type stepping struct {
	goal     float64        // the inner gap that is wanted
	radii    [kinds]float64 // of the trust regions, one for each kind of coordinates, in the metric of its preconditioner
	joint    bool           // a step did not halve far: M and the factors are to move together
	sharp    bool           // products with the Hessian are as accurate as they can be
	products int            // with the Hessian, so far

	basis     *basis        // of the Kronecker preconditioner
	diagonals []*gcg.Factor // of the second derivatives of the loss for A and B, where they were last taken
	formation *formation    // of the second derivatives as a matrix
	damping   float64       // of steps by that matrix, or 0 before the first
}

// newNewton begins at the state's W, which it takes over: its factors become the model's.
func newNewton(p *view.Problem, s *gcg.State) *newton {
	n := &newton{p: p, model: newFactorModel(p, s), grain: s.Grain}
	n.formation = &formation{}
	for i := range n.radii {
		n.radii[i] = math.Inf(1)
	}
	n.left, n.sigma, n.right = gcg.SVD(s.W.U, s.W.V, 1e-14)
	s.W.U, s.W.V = nil, nil // writeTo puts others in their place
	if loss, ok := n.model.began(); ok && n.rho() <= p.Penalty.Max() {
		n.loss, n.f = loss, loss+p.Penalty.Value(n.rho())
	} else {
		n.evaluate()
	}
	return n
}

// k is the rank.
func (n *newton) k() int { return len(n.sigma) }

// rho is the trace norm of W.
func (n *newton) rho() float64 {
	var s float64
	for _, x := range n.sigma {
		s += x
	}
	return s
}

// factors are U = P S^½ and V = Q S^½.
func (n *newton) factors() (u, v *gcg.Factor) {
	return scaleColumns(n.left, n.sigma, 0.5), scaleColumns(n.right, n.sigma, 0.5)
}

// evaluate computes the loss and F at P S Qᵀ, which is scaled into a ball first if it lies outside.
func (n *newton) evaluate() {
	if rho, zeta := n.rho(), n.p.Penalty.Max(); rho > zeta {
		for c := range n.sigma {
			n.sigma[c] *= zeta / rho
		}
	}
	n.grad = gradient{} // which was that of another point
	n.loss = n.model.value(n.factors())
	n.f = n.loss + n.p.Penalty.Value(math.Min(n.rho(), n.p.Penalty.Max()))
}

// quadratic says that the second derivatives of the loss do not vary.
func (n *newton) quadratic() bool {
	return n.p.Quadratic()
}

// writeTo writes the point into the state.
func (n *newton) writeTo(s *gcg.State) {
	u, v := n.factors()
	s.W.U, s.W.V = u, v
	s.Count.Products += n.products
	s.Rho = math.Min(n.rho(), n.p.Penalty.Max())
	if n.k() == 0 {
		s.W.U, s.W.V, s.Rho = nil, nil, 0
	}
	n.model.writeTo(s)
	s.Projections = nil
	if g := n.grad; g.gq != nil {
		s.Projections = &gcg.Projections{P: n.left, Q: n.right, GQ: g.gq, GP: g.gp}
	}
}
