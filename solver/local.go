package solver

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
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
	seen   gcg.Certificate
	seenAt int     // the iteration of the last certificate, seen
	iter   int     // and its iteration
	sharp  bool    // the problem is too ill-conditioned for products in float32
	basis  basis   // of its features
	radius float64 // of the trust region that the last call came to, where second derivatives vary
}

// growthSteps and growthCG bound the work while the rank grows by half or more a step.
const (
	growthSteps = 2
	growthCG    = 10
)

// farGap is the inner gap above which growthCG bounds them too, where second derivatives vary: the model is not worth more there.
const farGap = 0.5

// homeStretch is how many times the tolerance the gap may be for Newton steps to go all the way though a few atoms were added.
const homeStretch = 30

func (l *Local) Name() string { return "local" }

// Replaces says that factors are not overwritten.
func (l *Local) Replaces() {}

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
	rest, near := 0.0, (*gcg.Factor)(nil)
	if s.Polar != nil {
		if near = s.Polar.Near; s.Added == 0 {
			rest = s.Polar.Rest
		}
	}
	hope := l.hope(s)
	if s.Added == 0 { // Newton steps follow, each of which takes several sweeps' time: they start from as near as sweeps come
		hope = 0
	}
	if s.Cert.Relative > sweepAbove {
		falling := s.Iter <= 1 || s.Cert.Relative < 0.8*l.gap
		l.gap = s.Cert.Relative
		if l.sweep(ctx, p, s, hope) && s.Added > 0 && falling {
			return nil // directions outside promise more than Newton steps here
		}
	}
	l.sweeps = nil // the transpose is as large as the data; it is made anew if sweeps are wanted again
	n := newNewton(p, s)
	n.basis, n.rest, n.near = &l.basis, rest, near
	if l.radius > 0 && s.Iter > 1 {
		n.radius = l.radius
	}
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
	if 3*s.Added > n.k() { // the rank is still to be found
		steps, cg = min(steps, growthSteps), min(cg, growthCG)
	}
	n.goal = 0.9 * s.Tol
	if few := 8*s.Added <= n.k(); s.Added > 0 && !(few && s.Cert.Relative < homeStretch*s.Tol) { // and more may be to add
		n.goal = math.Max(n.goal, 0.3*math.Min(s.Cert.Relative, 1))
	}
	again := s.Added == 0 && s.Iter == l.iter+1 // the last goal did not close the certificate
	l.iter = s.Iter
	start := n.f
	for it := range steps {
		if n.k() == 0 || ctx.Err() != nil {
			break
		}
		last := n.inner
		n.linearise()
		if it == 0 && n.shed() || n.regain() {
			n.linearise()
		}
		if it == 0 && again {
			n.goal = n.below(l.goal, s.Cert.Relative)
		}
		if it == 0 && s.Added == 0 && n.inner <= n.goal { // yet the certificate did not close
			n.goal = 0.3 * n.inner
		}
		if n.inner <= n.goal {
			break
		}
		if it > 0 {
			n.learn(last)
		}
		before := n.f
		if !n.step(ctx, n.trusted(cg, s.Added > 0)) {
			break
		}
		if s.Added > 0 && it > 0 && before-n.f < 0.05*(start-n.f) && n.inner <= s.Cert.Relative {
			break // directions outside promise more
		}
	}
	l.sharp, l.goal = n.sharp, n.goal
	l.radius = 0
	if !n.quadratic() && !math.IsInf(n.radius, 1) {
		l.radius = n.radius
	}
	n.settle(s)
	return nil
}

// hope is about what F is above its minimum, as the last two certificates let one guess: the gap is of first order in the error of W and
// F of second, so F has the square of the gap left in proportion to what it fell in between. It is 0 at the first certificate.
func (l *Local) hope(s *gcg.State) (hope float64) {
	if s.Iter > 1 && s.Iter == l.seenAt+1 {
		fallen := math.Max(0, l.seen.Objective-s.Cert.Objective)
		by := s.Cert.Relative / l.seen.Relative
		hope = fallen * math.Min(1, by*by)
	}
	l.seen, l.seenAt = s.Cert, s.Iter
	return hope
}

// below is a goal below one that did not close the certificate, by as much as the certified gap is above the inner one, and a little more:
// 0.3 of the old one at least, as products are dear.
func (n *newton) below(old, certified float64) float64 {
	return math.Min(n.goal, math.Max(0.3*old, 0.8*n.goal*n.inner/certified))
}
