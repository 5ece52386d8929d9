package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A cut is a choice of Ritz pairs of D whose removal promises a better bound.
type cut struct {
	pairs int     // the leading ones
	bound float64 // what can be hoped for
}

const (
	maxCut      = 24   // pairs that are cut out at most
	foretold    = 1.02 // bound of what is left, beside its largest value, that some twelve steps give
	cutAbove    = 0.8  // pairs below this part of the largest value need no cutting
	cutQuality  = 0.1  // residuals of the pairs beside their values
	restQuality = 0.3  // excess of the bound of what is left, beside the distance of its norm from that of G
)

// promising foretells the bound of deflated for the leading pairs, as many of those that have converged as are best.
func (s *structure) promising(r ritz, c, e, f float64) cut {
	var theta, a []float64
	floor := cutAbove * math.Max(c, r.top())
	for i := 0; i < min(maxCut, len(r.values)) && r.values[i] > floor && r.residual(i) <= cutQuality*r.values[i]; i++ {
		theta, a = append(theta, r.values[i]), append(a, r.residual(i))
	}
	best := cut{bound: math.Inf(1)}
	for d := len(theta); d > 0; d = d * 2 / 3 {
		if bound := arrow(c, e, f, theta[:d], a[:d], r.at(d)*foretold); bound < best.bound {
			best.pairs, best.bound = d, bound
		}
	}
	return best
}

// arrow is the norm of G in norms, with pairs of D cut out that nothing couples to E and F:
//
//	‖ ‖C‖  0   ‖F‖ ‖
//	‖ 0    θᵢ  aᵢ  ‖
//	‖ ‖E‖  0   τ   ‖₂
func arrow(c, e, f float64, theta, a []float64, tau float64) float64 {
	d := len(theta)
	m := gcg.NewFactor(d+2, d+2)
	m.Row(0)[0], m.Row(0)[d+1] = c, f
	m.Row(d + 1)[0], m.Row(d + 1)[d+1] = e, tau
	for i, t := range theta {
		m.Row(i + 1)[i+1], m.Row(i + 1)[d+1] = t, a[i]
	}
	return m.SpectralNorm()
}

// deflate bounds ‖G‖ with the leading pairs of D cut out, by a fresh random start on the rest: the pairs were chosen
// before it is drawn, so that its probability holds for them. It ends where the rest is bounded well beside its distance from the
// least that ‖G‖ can be.
func (l *look) deflate(ctx context.Context, pairs int, low, want float64) error {
	x, y, theta := l.r.pairs(pairs)
	w := l.s.coupling(x, y, theta, l.r.remainders(pairs))
	l.failure /= 2
	b := startKrylov(l.b.d.without(x, y), l.ask.Seed^0xd1b54a32d192ed03+l.cuts)
	defer b.repay()
	l.cuts++ // whether there is another depends on this one: it takes another start
	for steps := 6; ; steps += 3 {
		if err := b.extend(ctx, min(steps, l.o.steps)); err != nil {
			return err
		}
		r := b.ritz()
		top := r.top()
		tau := b.above(r, l.failure)
		l.sharp = b.done || tau-top <= restQuality*(low-top) || w.holds(want, tau)
		if l.sharp || b.steps >= min(l.o.steps, l.o.small) {
			l.bound = math.Min(l.bound, w.bound(tau, low, want))
			return nil
		}
	}
}
