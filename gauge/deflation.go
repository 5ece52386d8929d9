package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"gonum.org/v1/gonum/mat"
)

// A cut is a choice of Ritz pairs of D whose removal promises a better bound.
type cut struct {
	pairs int     // the leading ones
	bound float64 // what can be hoped for
	limit float64 // and what more steps could bring it to
}

// ready says that the pairs have converged as far as the bound needs.
func (w cut) ready(want, tol float64) bool {
	return w.pairs > 0 && (w.bound <= want || w.bound <= w.limit*(1+tol))
}

const (
	maxCut     = 24  // pairs that are cut out at most
	cutSteps   = 9   // steps that are taken on what is left when its bound is foretold
	cutAbove   = 0.8 // pairs below this part of the largest value need no cutting
	cutQuality = 0.1 // residuals of the pairs beside their values
)

// promising foretells the bound of deflated for the leading pairs, as many of those that have converged as are best.
func (s *structure) promising(r ritz, c, e, f, failure float64) cut {
	var theta, a []float64
	floor := cutAbove * math.Max(c, r.top())
	for i := 0; i < min(maxCut, len(r.values)) && r.values[i] > floor && r.residual(i) <= cutQuality*r.values[i]; i++ {
		theta, a = append(theta, r.values[i]), append(a, r.residual(i))
	}
	best := cut{bound: math.Inf(1), limit: math.Inf(1)}
	zero := make([]float64, len(theta))
	for d := len(theta); d > 0; d = d * 2 / 3 {
		w := arrow{c: c, e: e, f: f, theta: theta[:d], a: a[:d], ex: zero, fy: zero}
		bound := w.norm(r.at(d) * inflation(r.from.d.dim, cutSteps, failure))
		w.a = zero
		best.limit = math.Min(best.limit, w.norm(r.at(d)))
		if bound < best.bound {
			best.pairs, best.bound = d, bound
		}
	}
	return best
}

// An arrow is G in the spaces of [P X ⊥] and [Q Y ⊥], in norms, with pairs X, Y of D cut out: as D Y = XΘ exactly and
// DᵀX = YΘ + residuals,
//
//	       ‖ ‖C‖     ‖Fᵀyⱼ‖  ‖F⊥‖ ‖
//	‖G‖₂ ≤ ‖ ‖xᵢᵀE‖  θᵢ      aᵢ   ‖      τ ≥ ‖(I-XXᵀ) D (I-YYᵀ)‖₂
//	       ‖ ‖E⊥‖    0       τ    ‖₂
type arrow struct {
	c, e, f          float64
	theta, a, ex, fy []float64
}

func (w arrow) norm(tau float64) float64 {
	if math.IsInf(tau, 1) {
		return tau
	}
	d := len(w.theta)
	m := mat.NewDense(d+2, d+2, nil)
	m.Set(0, 0, w.c)
	m.Set(0, d+1, w.f)
	m.Set(d+1, 0, w.e)
	m.Set(d+1, d+1, tau)
	for i, t := range w.theta {
		m.Set(i+1, i+1, t)
		m.Set(i+1, d+1, w.a[i])
		m.Set(i+1, 0, w.ex[i])
		m.Set(0, i+1, w.fy[i])
	}
	_, values, _ := linalg.ThinSVD(m)
	return values[0] * (1 + 1e-13)
}

// deflate bounds ‖G‖ with the leading pairs of D cut out, by a fresh random start on the rest: the pairs were chosen
// before it is drawn, so that its probability holds for them.
func (l *look) deflate(ctx context.Context, pairs int, want float64) error {
	x, y, theta := l.r.pairs(pairs)
	w := l.s.arrow(l.c, x, y, theta)
	for i := range pairs {
		w.a = append(w.a, l.r.residual(i))
	}
	b := startKrylov(l.b.d.without(x, y), l.ask.Seed^0xd1b54a32d192ed03)
	for steps := 6; ; steps += max(3, steps/3) {
		if err := b.extend(ctx, min(steps, l.o.steps)); err != nil {
			return err
		}
		top := b.ritz().top()
		bound := w.norm(b.inflated(top, l.o.failure))
		l.sharp = bound <= want || b.done || bound <= w.norm(top)*(1+l.ask.Tol)
		if l.sharp || b.steps >= min(l.o.steps, l.o.small) {
			l.bound = math.Min(l.bound, bound)
			return nil
		}
	}
}

// arrow couples the pairs to the spaces of the iterate.
func (s *structure) arrow(c float64, x, y *gcg.Factor, theta []float64) arrow {
	w := arrow{c: c, theta: theta, ex: make([]float64, len(theta)), fy: make([]float64, len(theta))}
	if s.p == nil {
		return w
	}
	e, f := s.e.Clone(), s.f.Clone()
	xe, yf := e.Project(x), f.Project(y)
	for i := range theta {
		w.ex[i], w.fy[i] = gcg.Norm(xe.Row(i)), gcg.Norm(yf.Row(i))
	}
	w.e, w.f = e.SpectralNorm(), f.SpectralNorm()
	return w
}
