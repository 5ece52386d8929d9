package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
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

// scaleColumns is F diag(s)^power.
func scaleColumns[T gcg.Real](f *gcg.FactorOf[T], s []float64, power float64) *gcg.FactorOf[T] {
	by := make([]T, f.Stride)
	for c, x := range s {
		by[c] = T(math.Pow(x, power))
	}
	g := f.Clone()
	g.ScaleColumns(by)
	return g
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

// linearise computes the gradient at the current point.
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

// A gradient is that of F in M, λI - C with C = PᵀGQ, and what those in A and B are made of: -(I-PPᵀ) G Q and -(I-QQᵀ) Gᵀ P.
type gradient struct {
	m  *gcg.Factor
	gq *gcg.Factor // G Q
	gp *gcg.Factor // Gᵀ P
}

// transposed is Fᵀ of k rows, as a Small.
func transposed[T gcg.Real](s *gcg.FactorOf[T], k int) *gcg.FactorOf[T] {
	t := gcg.SmallIn[T](s.K, k)
	transposeTo(t, trimmed(s, k))
	return t
}

// transposeTo overwrites dst, a row for each column of F, with Fᵀ. Tiles of eight columns, which share a line of the cache, keep to a few
// lines of dst: whole columns one after the other would meet few sets of it where a stride is a power of two.
func transposeTo[T gcg.Real](dst, f *gcg.FactorOf[T]) {
	for j := 0; j < f.K; j += 8 {
		a, b, c, d := dst.Row(j), dst.Row(j+1), dst.Row(j+2), dst.Row(j+3)
		e, g, h, k := dst.Row(j+4), dst.Row(j+5), dst.Row(j+6), dst.Row(j+7)
		for i := range f.Rows {
			x := (*[8]T)(f.Data[i*f.Stride+j:])
			a[i], b[i], c[i], d[i] = x[0], x[1], x[2], x[3]
			e[i], g[i], h[i], k[i] = x[4], x[5], x[6], x[7]
		}
	}
}

// setSlope takes λ = h'(ρ); on the boundary of a ball the multiplier that balances the trace of C.
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
	n.curve = bendOf(n.p.Penalty, rho)
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

// From a rank of splitFrom on products of factors with k×k matrices cost more than passes, and steps in the factors and in M by turns are
// cheaper than steps in both at once. So they are at any rank where the excess is below splitBelow: there M takes few products, of a third of
// the cost, and the factors fewer without it. Farther away M and the factors move together, and taking turns takes many; and so it may be near a
// degenerate one, where a step does not halve the excess.
const (
	splitFrom  = 24
	splitBelow = 0.01
)

// moderate says that float32 has the range for squares of the numbers of the model.
func (n *newton) moderate() bool {
	return math.Min(n.sigma[n.k()-1], n.slope) > 1e-15 && math.Max(n.sigma[0], n.slope) < 1e15
}

// back returns to an earlier point, and the model with it.
func (n *newton) back(old *newton) {
	*n = *old
	n.model.value(n.factors())
}

// leave ends an earlier point that nobody comes back to.
func (n *newton) leave(old *newton) {
	if n.left != old.left {
		gcg.Repay(old.left, old.right)
	}
	if g := old.grad; g.gq != nil && g.gq != n.grad.gq {
		gcg.Repay(g.m, g.gq, g.gp)
	}
}

// nearRounding decides by the gradient where F can no longer tell two points apart. W = 0 is as good as any, and has none.
func (n *newton) nearRounding(old *newton) bool {
	if n.k() == 0 {
		return true
	}
	n.linearise()
	if n.inner < 0.9*old.inner {
		return true
	}
	n.back(old)
	return false
}

// trusted is the number of conjugate gradient steps that the model is worth, while second derivatives are not worth forming. Where W has most of
// the directions that there are, and none were added, such steps are all that is left to do.
func (n *newton) trusted(cg int, growing bool) int {
	full := !growing && 2*n.k() > min(n.left.Rows, n.right.Rows)
	if !n.quadratic() && !full && n.inner > farGap {
		cg = min(cg, growthCG)
	}
	return max(1, min(cg, n.formation.left(n.k(), n.products)))
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
