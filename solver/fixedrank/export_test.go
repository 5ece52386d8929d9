package fixedrank

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// What tests of package fixedrank_test see of the inside.
type (
	Shrinker = shrinker
	Sweeper  = sweeper
	Factors  = factors
)

// KeptGram is the L of the preconditioner that is kept for the next call.
func (l *Local) KeptGram() *gcg.Factor { return l.basis.Gram }

// Sweep takes sweeps while they are good, see sweepWhileGood.
func (l *Local) Sweep(ctx context.Context, p *gcg.Problem, s *gcg.State) bool {
	return l.sweepWhileGood(ctx, view.Of(p), s, 0)
}

func (l *Local) ExpectedDecrease(s *gcg.State) float64 { return l.expectedDecrease(s) }

func (l *Local) Shrink(p *gcg.Problem, s *gcg.State, did gcg.Moved) {
	l.did = did
	l.shrink(context.Background(), view.Of(p), s)
}

func (l *Local) NewShrinker(p *gcg.Problem, s *gcg.State) (*Shrinker, bool) {
	return l.newShrinker(view.Of(p), s)
}

// Here are W, G, the slopes in the constants and F at the present point.
func (k *shrinker) Here() (w, g *gcg.Factor32, constants []float64, f float64) {
	return k.w(k.at), k.g(k.at), k.at.gb, k.at.f
}

// Scales are h and λ.
func (k *shrinker) Scales() (h, lambda float64) { return k.h, k.lambda }

// Threshold takes t off the singular values of x: what comes of it, its trace norm, its factors and their bound of the norm.
func (k *shrinker) Threshold(x *gcg.Factor32, t float64) (w *gcg.Factor32, rho float64, u, v *gcg.Factor, norm float64) {
	copy(k.moved.Data, x.Data)
	k.shrinkTo(k.next, t)
	u, v, norm = k.factors(k.next)
	return k.w(k.next), k.next.rho, u, v, norm
}

func (k *shrinker) Step() bool { return k.step() }

func (k *shrinker) Write() { k.write() }

// SweepLimit bounds the sweeps of a call.
const SweepLimit = sweepLimit

func NewFactors(u, v *gcg.Factor32) Factors { return factors{u, v} }

func (x factors) U() *gcg.Factor32 { return x.u }

func (x factors) V() *gcg.Factor32 { return x.v }

func (x factors) Clone() factors { return x.clone() }

// Extrapolated repeats sweeps until one gains little beside all before it, or beside what F is expected to fall by.
func Extrapolated(x Factors, expected float64, sweep func(x Factors) (f, gain float64)) Factors {
	return extrapolated(context.Background(), x, ending{part: sweepGain, expected: expected, limit: sweepLimit}, sweep)
}

// RunSweeps brings a state to where so many sweeps end.
func RunSweeps(p *gcg.Problem, s *gcg.State, limit int, sweep func(x Factors) (f, gain float64)) {
	runSweeps(context.Background(), view.Of(p), s, 1, ending{part: sweepGain, limit: limit}, sweep)
}

// Balancing turns pairs as x is turned to balance.
func Balancing(x Factors) (turned func(Factors) Factors, ok bool) {
	t, ok := balancing(x)
	return t.of, ok
}

// NewSweeper is one for p with its λ, and the factors of w in its units.
func NewSweeper(p *gcg.Problem, w *gcg.Iterate) (*Sweeper, Factors) {
	k := newSweeper(view.Of(p))
	k.setRidge(p.Penalty)
	return k, newFactors(w.U, w.V, 1/math.Sqrt(k.unit))
}

// Objective is F in the sweeper's units, from a sweep that is not kept.
func (w *sweeper) Objective(x Factors) float64 {
	if t, ok := balancing(x); ok {
		x = t.of(x)
	}
	f, _ := w.sweepOnce(x.clone())
	return f
}

func (w *sweeper) Once(x Factors) { w.sweepOnce(x) }

func (w *sweeper) SolveCore(x Factors) (y Factors, gone int) {
	y, dropped := w.solveCore(x)
	return y, dropped.K
}

// CoreSlope is ‖PᵀGQ - λI‖/λ.
func (w *sweeper) CoreSlope(x Factors) float64 {
	turn, _ := balancing(x)
	x = turn.of(x)
	c := &sweepCore{w: w, sigma: factor.WideGram(x.u).Diagonal()}
	c.p, c.q = factor.ScaleColumns(x.u, c.sigma, -0.5), factor.ScaleColumns(x.v, c.sigma, -0.5)
	at := gcg.Small(x.u.K, x.u.K)
	for i, si := range c.sigma {
		at.Row(i)[i] = si
	}
	g := c.target()
	g.AddScaled(-1, c.normal(at))
	for i := range c.sigma {
		g.Row(i)[i] -= w.ridge
	}
	return g.SpectralNorm() / w.ridge
}
