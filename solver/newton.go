package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// newton is the state of the inner iteration: where it is, and what it knows. A step that does not lower F is undone with all that it has
// learnt, see back.
type newton struct {
	p       *gcg.Problem
	model   factorModel
	grain   func(f float64) float64 // of the state
	maxRank int                     // or 0

	position
	outskirts
	stepping
}

// A position is W = P S Qᵀ, and what F is there.
type position struct {
	left, right *gcg.Factor // P and Q
	sigma       []float64   // S
	loss, f     float64

	slope  float64 // λ = h'(ρ), or the multiplier of an active ball
	curve  float64 // h''(ρ)
	active bool    // κ = ζ is kept: tr M = 0

	grad  gradient // of F, until coordinates take it over
	norms norms    // of the gradient
	over  float64  // ‖C‖ - λ
	slack float64  // λρ - ⟨W, G⟩
	inner float64  // the inner gap
	far   float64  // the excess of the whole gradient: more than inner where directions are on their way to 0
}

// outskirts are what is known of D, the part of G outside the spaces of W.
type outskirts struct {
	rest    float64     // ‖D‖ as the last certificate saw it, or 0
	beyond  float64     // ‖D‖ as a step's preconditioner last saw it, or 0
	unasked bool        // from many atoms that came in to the next certificate: directions that were lost tell of ‖D‖ meanwhile
	near    *gcg.Factor // right vectors of leading pairs of D, about, or nil
	fitted  *pairs      // near, at the present gradient, or nil
	lost    *gcg.Factor // right vectors that steps have dropped
	missing bool        // since some were, until regain looks
	clear   bool        // regain saw nothing near λ when it last looked
}

// stepping is how steps are taken.
type stepping struct {
	goal     float64        // the inner gap that is wanted
	radii    [kinds]float64 // of the trust region, in the metric of the preconditioner of each
	expected expectation    // of the last conjugate gradients
	doubts   [kinds]float64 // as learnt
	joint    bool           // a step did not halve far
	sharp    bool           // products with the Hessian are as accurate as they can be
	products int            // that there were

	basis     *basis        // of the preconditioner
	diagonals []*gcg.Factor // of the second derivatives of the loss for A and B, about: those where they were last taken
	formation *formation    // of second derivatives as a matrix
	damping   float64       // of steps by them, or 0 before the first
}

func newNewton(p *gcg.Problem, s *gcg.State) *newton {
	n := &newton{p: p, model: newFactorModel(p, s), grain: s.Grain, maxRank: s.MaxRank}
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

func (n *newton) k() int { return len(n.sigma) }

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

// evaluate computes the loss and F at P S Qᵀ; an iterate outside a ball is scaled into it.
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

// step solves the Newton equation, within the trust region or with damping, and moves if F falls; it reports whether progress is possible.
// What float32 cannot do is tried in float64, and what conjugate gradients cannot with second derivatives that are formed, or the other way
// round.
func (n *newton) step(ctx context.Context, cg int) bool {
	moved, whole := n.wholeStep(ctx, false)
	if moved {
		return true
	}
	if whole {
		cg = max(cg, growthCG)
	}
	if c, ok := n.model.curvature32(); ok && !n.sharp && n.moderate() {
		if n.tried(ctx, func() trials { return newWay(ctx, n, chart(n, c), cg) }) {
			return true
		}
		n.sharp = true
	}
	if n.tried(ctx, func() trials { return newWay(ctx, n, chart(n, n.model.curvature()), cg) }) {
		return true
	}
	if whole || ctx.Err() != nil {
		return false
	}
	moved, _ = n.wholeStep(ctx, true)
	return moved
}

// wholeStep tries a step with second derivatives that are formed, if there are such: those of an earlier point, and where these do not lower F
// those of this one.
func (n *newton) wholeStep(ctx context.Context, now bool) (moved, whole bool) {
	for ctx.Err() == nil {
		h := n.model.formed(n, now)
		if h == nil {
			return false, whole
		}
		whole = true
		earlier := n.formation.earlier
		if n.tried(ctx, func() trials { return newWholeSteps(n, h) }) {
			return true, true
		}
		if !earlier {
			break
		}
	}
	return false, whole
}

// tried follows trials from the present point, whose gradient they take over.
func (n *newton) tried(ctx context.Context, from func() trials) bool {
	if ctx.Err() != nil {
		return false
	}
	if n.grad.m == nil {
		n.linearise()
	}
	return follow(ctx, n, from())
}

// chart chooses the coordinates of a step.
func chart[T gcg.Real](n *newton, c curvature[T]) coordinates[T] {
	switch {
	case c.normal == nil || !linear(n.p.Penalty), n.k() < splitFrom && (n.far > splitBelow || n.joint):
		return newQuadratic(n, c)
	case n.excess(norms{m: n.norms.m}) > n.far/2:
		return newCore(n, c)
	}
	return newBilinear(n, c)
}

// quadratic says that second derivatives of the loss do not vary.
func (n *newton) quadratic() bool {
	_, is := n.p.Loss.(gcg.LeastSquares)
	return is
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
	s.Sides = nil
	if g := n.grad; g.gq != nil {
		s.Sides = &gcg.Sides{P: n.left, Q: n.right, GQ: g.gq, GP: g.gp}
	}
}
