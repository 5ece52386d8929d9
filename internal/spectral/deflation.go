package spectral

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A cut is a choice of leading Ritz pairs of D whose removal promises a better bound of ‖G‖.
type cut struct {
	pairs int     // how many
	bound float64 // of ‖G‖, as predicted
}

const (
	maxCut      = 24   // pairs that are cut out at most
	restExcess  = 1.02 // bound of what is left of D over its norm, after some twelve steps
	cutAbove    = 0.8  // pairs below this part of the largest singular value need not be cut out
	cutQuality  = 0.1  // residual over Ritz value up to which a pair can be cut out
	restQuality = 0.3  // excess of the bound of what is left of D, over the distance of its norm from ‖G‖, that ends the steps
)

// promising chooses, among the leading pairs that have converged, the number for which arrow predicts the best bound. It tries
// all of them, two thirds of them, and so on. c, e and f are the norms of C, E and F.
func (s *structure) promising(r ritz, c, e, f float64) cut {
	var theta, a []float64
	floor := cutAbove * math.Max(c, r.top())
	for i := 0; i < min(maxCut, len(r.values)) && r.values[i] > floor && r.residual(i) <= cutQuality*r.values[i]; i++ {
		theta, a = append(theta, r.values[i]), append(a, r.residual(i))
	}
	best := cut{bound: math.Inf(1)}
	for d := len(theta); d > 0; d = d * 2 / 3 {
		if bound := arrow(c, e, f, theta[:d], a[:d], r.at(d)*restExcess); bound < best.bound {
			best.pairs, best.bound = d, bound
		}
	}
	return best
}

// arrow is about a bound of ‖G‖ with pairs of D cut out, as if nothing coupled the pairs to E and F. It is made of norms only:
// aᵢ are the residuals of the pairs θᵢ, and τ bounds what is left of D.
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

// deflate bounds ‖G‖ with the leading pairs of D cut out, by steps from a new random start on the remainder D'. The pairs were
// chosen before this start is drawn, so that its probability holds for them. low is about the least that ‖G‖ can be. The steps
// end where the excess of the bound of ‖D'‖ is small beside low - ‖D'‖, or where ‖G‖ ≤ want is proven.
func (l *boundSearch) deflate(ctx context.Context, pairs int, low, want float64) error {
	x, y, theta := l.r.pairs(pairs)
	w := l.s.coupling(x, y, theta, l.r.remainders(pairs))
	l.failure /= 2
	b := startKrylov(l.b.d.without(x, y), l.ask.Seed^0xd1b54a32d192ed03+l.cuts)
	defer b.repay()
	l.cuts++ // the next one takes another start, as whether there is a next one depends on this one
	for steps := 6; ; steps += 3 {
		if err := b.extend(ctx, min(steps, l.o.Steps)); err != nil {
			return err
		}
		r := b.ritz()
		top := r.top()
		tau := b.above(r, l.failure)
		l.accurate = b.done || tau-top <= restQuality*(low-top) || w.holds(want, tau)
		if l.accurate || b.steps >= min(l.o.Steps, l.o.Small) {
			l.bound = math.Min(l.bound, w.bound(tau, low, want))
			return nil
		}
	}
}
