package newton

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// Iteration is the state of Newton steps from one W: where it is, and what it knows. A step that does not lower F is undone with
// all that it learnt, see back.
type Iteration struct {
	p     *view.Problem
	Model model.Model
	grain func(f float64) float64 // below which differences of F are rounding: State.RoundingScale

	position
	complementInfo
	stepping
}

// A position is W = P S Qᵀ of rank k, with F and its gradient there. G is -∇ℓ(W), ℓ(W) = L(A W), and C = PᵀGQ.
type position struct {
	left, right *gcg.Factor // P (m×k) and Q (n×k), with orthonormal columns
	sigma       []float64   // S, descending
	loss, F     float64     // ℓ(W), and F = ℓ(W) + h(ρ)

	lambda float64 // λ = h'(ρ), or the multiplier of an active ball
	curve  float64 // h″(ρ)
	active bool    // W is on the boundary of a ball and stays there: tr M = 0

	grad            gradient // of F, until coordinates take its memory
	norms           norms    // of the gradient
	normExcess      float64  // ‖C‖ - λ
	complementarity float64  // λρ - ⟨W, G⟩
	GapWithin       float64  // the relative gap that matrices of W's own spaces leave, see measure
	GapAll          float64  // the excess of the whole gradient: more than GapWithin where singular values go to 0
}

// complementInfo is what is known of D = (I-PPᵀ) G (I-QQᵀ).
type complementInfo struct {
	ComplementNorm  float64     // ‖D‖ as the last certificate saw it, or 0
	RankUnproven    bool        // sweeps found the rank to be enough, and no certificate has been asked since
	fittedNorm      float64     // ‖D‖ as it was when pairs were last fitted, or 0
	ComplementRight *gcg.Factor // about the right vectors of the leading pairs of D, or nil
	fitted          *pairs      // those pairs, as they were last fitted to a gradient, or nil
}

// stepping is how steps are taken.
type stepping struct {
	Goal        float64        // the GapWithin that is wanted
	radii       [kinds]float64 // of the trust regions, one for each kind of coordinates, in the metric of its preconditioner
	last        forecast       // of the last conjugate gradients
	modelErrors [kinds]float64 // what models of each kind are taken to be wrong by; 0 before the first
	InFactors   bool           // the next step is to be in the factors, where M and they move by turns
	Joint       bool           // a step did not halve GapAll: M and the factors are to move together
	InFloat64   bool           // products with the Hessian are as accurate as they can be
	Products    int            // with the Hessian, so far

	Basis      *model.Basis      // of the preconditioners that are about products
	diagonals  []*gcg.Factor     // of the second derivatives of the loss for A and B, where they were last taken
	FormPolicy *model.FormPolicy // of the second derivatives as a matrix
	Damping    float64           // of steps by that matrix, or 0 before the first
}

// startNull is the part of the largest singular value of a start below which one is rounding. A start may be a solution, so that
// it keeps more than a step does, see nullPart.
const startNull = rounding.Sum

// New begins at the state's W and takes its memory: the factors become the model's. The state has no W until WriteTo.
func New(p *view.Problem, s *gcg.State) *Iteration {
	n := &Iteration{p: p, Model: model.New(p, s), grain: s.RoundingScale}
	n.FormPolicy, n.Basis = &model.FormPolicy{}, &model.Basis{}
	for i := range n.radii {
		n.radii[i] = math.Inf(1)
	}
	n.left, n.sigma, n.right = gcg.SVD(s.W.U, s.W.V, startNull)
	s.W.U, s.W.V = nil, nil // WriteTo puts others in their place
	if loss, ok := n.Model.Began(); ok && n.rho() <= p.Penalty.Max() {
		n.loss, n.F = loss, loss+p.Penalty.Value(n.rho())
	} else {
		n.evaluate()
	}
	return n
}

// K is the rank.
func (n *Iteration) K() int { return len(n.sigma) }

// rho is the trace norm of W.
func (n *Iteration) rho() float64 {
	var s float64
	for _, x := range n.sigma {
		s += x
	}
	return s
}

// factors are U = P S^½ and V = Q S^½.
func (n *Iteration) factors() (u, v *gcg.Factor) {
	return factor.ScaleColumns(n.left, n.sigma, 0.5), factor.ScaleColumns(n.right, n.sigma, 0.5)
}

// evaluate computes the loss and F at P S Qᵀ, which is scaled into a ball first if it lies outside.
func (n *Iteration) evaluate() {
	if rho, zeta := n.rho(), n.p.Penalty.Max(); rho > zeta {
		for c := range n.sigma {
			n.sigma[c] *= zeta / rho
		}
	}
	n.grad = gradient{} // which was that of another point
	n.loss = n.Model.Value(n.factors())
	n.F = n.loss + n.p.Penalty.Value(math.Min(n.rho(), n.p.Penalty.Max()))
}

// Framed says that the operator observes L W Rᵀ.
func (n *Iteration) Framed() bool { return n.p.Framed != nil }

// LeavesFactors says that the last step was in M alone, and says nothing of what the factors have to gain: their preconditioner
// knows L and R.
func (n *Iteration) LeavesFactors() bool { return n.Framed() && n.last.kind == inCore }

// quadratic says that the second derivatives of the loss do not vary.
func (n *Iteration) quadratic() bool {
	return n.p.Quadratic()
}

// WriteTo writes the point into the state.
func (n *Iteration) WriteTo(s *gcg.State) {
	u, v := n.factors()
	s.W.U, s.W.V = u, v
	s.Count.Products += n.Products
	s.Rho = math.Min(n.rho(), n.p.Penalty.Max())
	if n.K() == 0 {
		s.W.U, s.W.V, s.Rho = nil, nil, 0
	}
	n.Model.WriteTo(s)
}

// Projections are those of the point, where its gradient is known, or nil.
func (n *Iteration) Projections() *gcg.Projections {
	if n.grad.gq == nil {
		return nil
	}
	return &gcg.Projections{P: n.left, Q: n.right, GQ: n.grad.gq, GP: n.grad.gp}
}

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
	n.left.Do(
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
