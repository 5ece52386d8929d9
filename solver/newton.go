package solver

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// newton is the state of the inner iteration.
type newton struct {
	p       *gcg.Problem
	model   factorModel
	left    *gcg.Factor // P
	right   *gcg.Factor // Q
	sigma   []float64   // S
	loss, f float64

	slope  float64 // λ = h'(ρ), or the multiplier of an active ball
	curve  float64 // h''(ρ)
	active bool    // κ = ζ is kept: tr M = 0
	radius float64

	rest      float64          // ‖D‖ as the last certificate saw it, or 0
	unasked   bool             // no certificate was asked for since many atoms came in: directions that were lost tell of ‖D‖
	near      *gcg.Factor      // right vectors of leading pairs of D, about, or nil
	lost      *gcg.Factor      // right vectors that steps have dropped
	missing   bool             // some of them since regain has looked
	basis     *basis           // of the preconditioner
	diagonals []*gcg.Factor    // of the second derivatives of the loss, about
	products  int              // of the Hessian
	sharp     bool             // they are as accurate as they can be
	goal      float64          // the inner gap that is wanted
	inner     float64          // and the one that there is
	expected  float64          // that the last conjugate gradients foretold, or +Inf
	doubt     float64          // part of the inner gap that a model is likely to be wrong by
	grad      tangent[float64] // of F, until a quadratic takes it over
}

func newNewton(p *gcg.Problem, s *gcg.State) *newton {
	n := &newton{p: p, model: newFactorModel(p, s), radius: math.Inf(1), doubt: 0.15}
	n.left, n.sigma, n.right = gcg.SVD(s.W.U, s.W.V, 1e-14)
	s.W.U, s.W.V = nil, nil // settle puts others in their place
	n.evaluate()
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
	scaleByColumn(g, by)
	return g
}

// evaluate computes the loss and F at P S Qᵀ; an iterate outside a ball is scaled into it.
func (n *newton) evaluate() {
	if rho, zeta := n.rho(), n.p.Penalty.Max(); rho > zeta {
		for c := range n.sigma {
			n.sigma[c] *= zeta / rho
		}
	}
	n.loss = n.model.value(n.factors())
	n.f = n.loss + n.p.Penalty.Value(math.Min(n.rho(), n.p.Penalty.Max()))
}

// linearise computes the gradient at the current point.
func (n *newton) linearise() {
	e, f := gcg.Both(n.model.gradient(), n.left, n.right)
	c := e.Project(n.left)
	f.Project(n.right)
	n.setSlope(c)
	for i := range n.k() {
		c.Row(i)[i] -= n.slope
	}
	c.Scale(-1)
	e.Scale(-1)
	f.Scale(-1)
	n.grad = tangent[float64]{c, e, f}
	n.inner = n.innerGap(n.grad)
}

// setSlope takes λ = h'(ρ); on the boundary of a ball the multiplier that balances the trace of C.
func (n *newton) setSlope(c *gcg.Factor) {
	rho, zeta := n.rho(), n.p.Penalty.Max()
	n.active, n.curve = false, 0
	if !math.IsInf(zeta, 1) {
		var trace float64
		for i := range n.k() {
			trace += c.Row(i)[i]
		}
		n.active = rho >= zeta*(1-1e-9) && trace > 0
		n.slope = 0
		if n.active {
			n.slope = trace / float64(n.k())
		}
		return
	}
	n.slope = n.p.Penalty.Deriv(rho)
	n.curve = math.Max(0, (n.p.Penalty.Deriv(rho*2)-n.slope)/rho)
}

// innerGap is the relative gap that would be certified with the gradient g if ‖D‖ were tail(), D the part of G
// outside the spaces of W: what the block bound of the trace polar exceeds λ by. The off-diagonal blocks count by their product.
func (n *newton) innerGap(g tangent[float64]) float64 {
	over := linalg.Norm2(n.slope+g.m.SpectralNorm(), g.a.SpectralNorm(), g.b.SpectralNorm(), n.tail()) - n.slope
	return over * n.rho() / math.Max(math.Abs(n.f), 1e-300)
}

// tail is where ‖D‖ is taken to be: where the last certificate saw it, if no atoms from there were added, and at least 0.95 λ. At the
// solution it is below λ, and where it is above the guess, the certificate asks for another round.
func (n *newton) tail() float64 { return math.Max(0.95*n.slope, math.Min(n.rest, n.slope)) }

// step solves the Newton equation within the trust region and moves if F falls; it reports whether progress is possible.
// What float32 cannot do is tried in float64.
func (n *newton) step(ctx context.Context, cg int) bool {
	if c, ok := n.model.curvature32(); ok && !n.sharp && n.moderate() {
		if follow(ctx, newQuadratic(n, c), cg) {
			return true
		}
		if ctx.Err() != nil {
			return false
		}
		n.sharp = true
		n.linearise()
	}
	return follow(ctx, newQuadratic(n, n.model.curvature()), cg)
}

// moderate says that float32 has the range for squares of the numbers of the model.
func (n *newton) moderate() bool {
	return math.Min(n.sigma[n.k()-1], n.slope) > 1e-15 && math.Max(n.sigma[0], n.slope) < 1e15
}

// follow takes the step of the conjugate gradients. Where F does not fall, shorter steps are those that they passed on their way:
// these cost no products. Once the way is known, nothing else of q is live: retraction and evaluation need the memory.
func follow[T gcg.Real](ctx context.Context, q *quadratic[T], cg int) bool {
	n, path := q.n, q.conjugateGradient(ctx, cg)
	for range 60 { // each costs one evaluation; where there is hardly any curvature the way is ten powers of ten too long
		if len(path) == 0 {
			break
		}
		last := path[len(path)-1]
		if !(last.promised > 1e-22*math.Abs(n.f)) { // nearRounding judges what is below 1e-16
			return false
		}
		old := *n
		retract(n, last.x)
		n.evaluate()
		ratio := (old.f - n.f) / last.promised
		if ratio > 1e-4 {
			n.trust(ratio, last.length)
			return true
		}
		if old.f-n.f > -1e-13*math.Abs(n.f) && last.promised < 1e-11*math.Abs(n.f) {
			return n.nearRounding(&old)
		}
		n.back(&old)
		n.radius = 0.25 * last.length
		if math.IsNaN(n.radius) || n.radius == 0 || ctx.Err() != nil {
			break
		}
		path = shorten(path, last.length/2)
	}
	return false
}

// trust sets the radius from the actual decrease beside the promised one.
func (n *newton) trust(ratio, length float64) {
	switch {
	case ratio < 0.25:
		n.radius = 0.5 * length
	case ratio < 0.75:
		n.radius = math.Min(n.radius, length)
	case math.IsInf(n.radius, 1):
		n.radius = 10 * length
	default:
		n.radius = math.Max(n.radius, 3*length)
	}
}

// back returns to an earlier point, and the model with it.
func (n *newton) back(old *newton) {
	*n = *old
	n.model.value(n.factors())
}

// nearRounding decides by the gradient where F can no longer tell two points apart.
func (n *newton) nearRounding(old *newton) bool {
	n.linearise()
	if n.inner < 0.9*old.inner {
		return true
	}
	n.back(old)
	return false
}

// trusted is the number of conjugate gradient steps that the model is worth. Where W has most of the directions that there are, and
// none were added, nothing but such steps is left to do.
func (n *newton) trusted(cg int, growing bool) int {
	full := !growing && 2*n.k() > min(n.left.Rows, n.right.Rows)
	if n.quadratic() || full || n.inner <= farGap {
		return cg
	}
	return min(cg, growthCG)
}

// quadratic says that second derivatives of the loss do not vary.
func (n *newton) quadratic() bool {
	_, is := n.p.Loss.(gcg.Quadratic)
	return is
}

// settle writes the point into the state.
func (n *newton) settle(s *gcg.State) {
	u, v := n.factors()
	s.W.U, s.W.V = u, v
	s.Count.Products += n.products
	s.Rho = math.Min(n.rho(), n.p.Penalty.Max())
	if n.k() == 0 {
		s.W.U, s.W.V, s.Rho = nil, nil, 0
	}
	n.model.settle(s)
}
