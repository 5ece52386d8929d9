package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Local lowers F over the matrices of the iterate's rank by truncated Newton steps, which replaces the local search of
// [Yu17 Algorithm 3]: the same local objective, in coordinates that do not degrade as singular values go to 0.
//
// At W = P S Qᵀ the tangent vectors are dW = P M Qᵀ + A Qᵀ + P Bᵀ with A ⟂ P and B ⟂ Q; on matrices of fixed rank the
// trace norm is smooth, with derivative tr M and second derivative
//
//	Σ over i<j of (M_ij - M_ji)²/(s_i + s_j) + ‖A S^-½‖² + ‖B S^-½‖².
//
// A step is a point of the curve (P T + A)(Q + B T⁻ᵀ)ᵀ, T = S + M [orthographic retraction, Absil and Oseledets 2015], found by
// conjugate gradients with a trust region, see tangent.go. In the factors (U, V) themselves the curvature that matters for the certificate, that of M in the
// directions of small singular values, is a small difference of large terms; here it is plain.
type Local struct {
	Steps int // Newton steps for one call; 0 means 25
	CG    int // conjugate gradient steps for one Newton step; 0 means 400

	sweeps *sweeper // of the problem it was last used on
	goal   float64  // of the last call
	gap    float64  // certified when sweeps were last taken
	iter   int      // and its iteration
	sharp  bool     // the problem is too ill-conditioned for products in float32
	basis  basis    // of its features
}

// growthSteps and growthCG bound the work while the rank grows by half or more a step.
const (
	growthSteps = 2
	growthCG    = 10
)

// homeStretch is how many times the tolerance the gap may be for Newton steps to go all the way without another certificate.
const homeStretch = 30

// farGap is the inner gap above which growthCG bounds them too, where second derivatives vary: the model is not worth more there.
const farGap = 0.5

func (l *Local) Name() string { return "local" }

// Improve takes Newton steps until the gap that is left within the spaces of W is a fraction of the certified one.
func (l *Local) Improve(ctx context.Context, p *gcg.Problem, s *gcg.State) error {
	if _, ok := p.Gauge.(gcg.SpectralGauge); !ok {
		return fmt.Errorf("solver: the local improver works on singular values; gauge %s has none", p.Gauge.Name())
	}
	if _, ok := p.Loss.(gcg.CurvedLoss); !ok {
		return fmt.Errorf("solver: the local improver needs a loss with second derivatives; %T has none", p.Loss)
	}
	if s.W.Rank() == 0 {
		return nil
	}
	if s.Cert.Relative > sweepAbove {
		falling := s.Iter <= 1 || s.Cert.Relative < 0.8*l.gap
		l.gap = s.Cert.Relative
		if l.sweep(p, s) && s.Added > 0 && falling {
			return nil // directions outside promise more than Newton steps here
		}
	}
	l.sweeps = nil // the transpose is as large as the data; it is made anew if sweeps are wanted again
	n := newNewton(p, s)
	n.basis = &l.basis
	if n.sharp = l.sharp; n.sharp {
		n.model.sharpen()
	}
	steps, cg := l.Steps, l.CG
	if steps == 0 {
		steps = 25
	}
	if cg == 0 {
		cg = 400
	}
	if 3*s.Added > s.W.Rank() { // the rank is still to be found
		steps, cg = min(steps, growthSteps), min(cg, growthCG)
	}
	n.goal = math.Max(0.9*s.Tol, 0.3*math.Min(s.Cert.Relative, 1))
	if s.Added == 0 && s.Cert.Relative < homeStretch*s.Tol {
		n.goal = 0.9 * s.Tol
	}
	if s.Added == 0 && s.Iter == l.iter+1 { // the last goal did not close the certificate
		n.goal = math.Min(n.goal, 0.3*l.goal)
	}
	l.goal, l.iter = n.goal, s.Iter
	start := n.f
	for it := range steps {
		if n.k() == 0 || ctx.Err() != nil {
			break
		}
		last := n.inner
		n.linearise()
		if n.inner <= n.goal {
			break
		}
		if it > 0 {
			n.learn(last)
		}
		before := n.f
		if !n.step(n.trusted(cg)) {
			break
		}
		if s.Added > 0 && it > 0 && before-n.f < 0.05*(start-n.f) {
			break // directions outside promise more
		}
	}
	l.sharp = n.sharp
	n.settle(s)
	return nil
}

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

	basis    *basis  // of the preconditioner
	products int     // of the Hessian
	sharp    bool    // they are as accurate as they can be
	goal     float64 // the inner gap that is wanted
	inner    float64 // and the one that there is
	expected float64 // that the last conjugate gradients foretold, or +Inf
	doubt    float64 // part of the inner gap that a model is likely to be wrong by
	grad     tangent // of F
	pre      preconditioner
	unit     tangent // the preconditioner applied to M = I, where a ball is active
	work     tangent // work space of hessian

	u, v                    *gcg.Factor // P S^½ and Q S^½ at the point of grad
	rootInv, inverse, stiff []float64   // s^-½, 1/s and λ/s, by column
}

func newNewton(p *gcg.Problem, s *gcg.State) *newton {
	n := &newton{p: p, model: newFactorModel(p, s), radius: math.Inf(1), doubt: 0.15}
	n.left, n.sigma, n.right = gcg.SVD(s.W.U, s.W.V, 1e-14)
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
func scaleColumns(f *gcg.Factor, s []float64, power float64) *gcg.Factor {
	by := make([]float64, f.Stride)
	for c, x := range s {
		by[c] = math.Pow(x, power)
	}
	g := f.Clone()
	for i := range g.Rows {
		row := g.Row(i)
		for c := range row {
			row[c] *= by[c]
		}
	}
	return g
}

// evaluate computes the loss and F at P S Qᵀ; an iterate outside a ball is scaled into it.
func (n *newton) evaluate() {
	if rho, zeta := n.rho(), n.p.Penalty.Max(); rho > zeta {
		for c := range n.sigma {
			n.sigma[c] *= zeta / rho
		}
	}
	n.u, n.v = n.factors()
	n.loss = n.model.value(n.u, n.v)
	n.f = n.loss + n.p.Penalty.Value(math.Min(n.rho(), n.p.Penalty.Max()))
}

// linearise computes the gradient and the preconditioner at the current point.
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
	n.grad = tangent{c, e, f}
	n.work = tangent{nil, gcg.NewFactor(e.Rows, e.K), gcg.NewFactor(f.Rows, f.K)}
	n.rootInv, n.inverse, n.stiff = make([]float64, e.Stride), make([]float64, e.Stride), make([]float64, e.Stride)
	for c, s := range n.sigma {
		n.rootInv[c], n.inverse[c], n.stiff[c] = 1/math.Sqrt(s), 1/s, n.slope/s
	}
	n.inner = n.innerGap(n.grad)
	n.pre = n.model.preconditioner(n)
	if n.active {
		n.unit = n.unitCore()
	}
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

// innerGap is the relative gap that would be certified with the gradient g if ‖D‖ were below tailGuess·λ, D the part of G
// outside the spaces of W: what the block bound of the trace polar exceeds λ by. The off-diagonal blocks count by their product.
func (n *newton) innerGap(g tangent) float64 {
	over := linalg.Norm2(n.slope+g.m.SpectralNorm(), g.a.SpectralNorm(), g.b.SpectralNorm(), tailGuess*n.slope) - n.slope
	return over * n.rho() / math.Max(math.Abs(n.f), 1e-300)
}

// tailGuess is where ‖D‖ is taken to be; where it is above, the certificate asks for another round.
const tailGuess = 0.95

// step solves the Newton equation within the trust region and moves if F falls; it reports whether progress is possible.
// Where F does not fall, shorter steps are those that the conjugate gradients passed on their way: they cost no products.
func (n *newton) step(cg int) bool {
	path := n.conjugateGradient(cg)
	for range 60 { // each costs one evaluation; where there is hardly any curvature the way is ten powers of ten too long
		if len(path) == 0 {
			break
		}
		last := path[len(path)-1]
		if !(last.promised > 1e-16*math.Abs(n.f)) {
			return false
		}
		old := *n
		n.retract(last.x)
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
		if math.IsNaN(n.radius) || n.radius == 0 {
			break
		}
		path = n.shorten(path, last.length/2)
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
	n.model.value(n.u, n.v)
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

// trusted is the number of conjugate gradient steps that the model is worth.
func (n *newton) trusted(cg int) int {
	if _, quadratic := n.p.Loss.(gcg.Quadratic); quadratic || n.inner <= farGap {
		return cg
	}
	return min(cg, growthCG)
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
