// Package apg is accelerated proximal gradient on W as a matrix, with restarts: the baseline of conditional gradient methods for
// gauges with a proximity operator.
package apg

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is FISTA [Beck and Teboulle 2009]:
//
//	W⁺ ← argmin over X of ½‖X - (Y - ∇ℓ(Y)/L)‖² + λκ(X)/L,   Y ← W⁺ + (t-1)/t⁺ (W⁺ - W),   t⁺ = (1 + √(1 + 4t²))/2
//
// L is doubled until ℓ(W⁺) is below its quadratic bound at Y. Where F rises, momentum begins anew [O'Donoghue and Candès 2015].
type Method struct {
	Lipschitz float64 // L; 0 means backtracking
	NoRestart bool
	// Prox takes the place of the gauge's own proximity operator, such as one that is exact to less; nil is the gauge's.
	Prox interface {
		gcg.Gauge
		// ProxTo writes argmin over X of ½‖X - W‖² + tκ(X) for a dense row-major m×n W; dst may be w. It returns κ(dst).
		ProxTo(dst, w []float64, m, n int, t float64) float64
	}

	l        float64
	momentum firstorder.Momentum
	prox     view.ProxGauge
	w, y     []float64
	ahead    *gcg.State // at Y
}

const (
	// doublings of L are more than any loss in float64 needs.
	doublings = 100
	// leftByRounding is the part of the sizes of ℓ's terms that the condition on L leaves, which is of order ‖W⁺ - Y‖².
	leftByRounding = rounding.Null
)

// mostDecomposed is m·n·min(m, n) of a matrix whose singular values are all found in each step: above, a step takes longer than
// runs do.
const mostDecomposed = 300_000_000

// Name is apg.
func (*Method) Name() string { return "apg" }

// WithoutPolars is true.
func (*Method) WithoutPolars() bool { return true }

// Ask wants one atom, for the certificate.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init needs a proximity operator, a penalty λκ, and a W that is small enough for a matrix.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	p := view.Of(problem)
	if x.prox = x.Prox; x.prox == nil {
		x.prox = p.Prox
	}
	switch {
	case x.prox == nil:
		return fmt.Errorf("baseline: apg needs a gauge with a proximity operator; %s has none", p.Gauge.Name())
	case !view.IsLinear(p.Penalty):
		return fmt.Errorf("baseline: apg needs a penalty λκ, not %T", p.Penalty)
	case s.W.M > view.MaxMatrix/s.W.N:
		return fmt.Errorf("baseline: apg keeps W as a matrix; that of gauge %s is %d×%d", p.Gauge.Name(), s.W.M, s.W.N)
	}
	if small := min(s.W.M, s.W.N); p.Spectral && s.W.M*s.W.N > mostDecomposed/small {
		return fmt.Errorf("baseline: apg decomposes W as a matrix in each step, and %d×%d takes minutes; prox++ finds parts",
			s.W.M, s.W.N)
	}
	x.w, x.l, x.momentum = s.W.Dense(), x.Lipschitz, firstorder.Momentum{}
	x.y = slices.Clone(x.w)
	count := s.Count.Gradients
	x.ahead, err = s.InnerState(problem, s.W)
	s.Count.Gradients = count // that of the start is the state's
	return err
}

// Step is one gradient and as many proximity operators as L needs.
func (x *Method) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p := view.Of(problem)
	m, n := s.W.M, s.W.N
	x.ahead.W = matrix(x.y, m, n)
	x.ahead.Refresh(problem)
	g := make([]float64, m*n)
	gcg.DenseTo(g, x.ahead.Gradient(problem))
	if x.l == 0 {
		x.l = curvature(p, x.ahead, g)
	}
	before, count := s.Objective(problem), s.Count.Gradients
	next := make([]float64, m*n)
	for range doublings {
		copy(next, x.y)
		kernel.Axpy(1/x.l, g, next)
		rho := x.prox.ProxTo(next, next, m, n, p.Penalty.Deriv(0)/x.l)
		s.W, s.Rho = matrix(next, m, n), rho
		s.W.Merged, s.W.MergedWeight = n, rho // its columns are no atoms, whose norms would be taken for κ(W)
		s.Refresh(problem)
		var slope, size, square float64
		for e, v := range next {
			d := v - x.y[e]
			slope, size, square = slope-g[e]*d, size+math.Abs(g[e]*d), square+d*d
		}
		if x.Lipschitz > 0 || ctx.Err() != nil || s.Loss <= x.ahead.Loss+slope+x.l/2*square+leftByRounding*(size+math.Abs(s.Loss)) {
			break
		}
		x.l *= 2
	}
	s.Count.Gradients = count // those at W are for the objective and the certificate
	x.extrapolate(next, !x.NoRestart && s.Objective(problem) > before)
	return gcg.Moved{}, nil
}

// extrapolate moves Y beyond W⁺, or to it.
func (x *Method) extrapolate(next []float64, restart bool) {
	beyond := x.momentum.Next()
	if restart {
		beyond = 0
		x.momentum.Restart()
	}
	for e, v := range next {
		x.y[e] = v + beyond*(v-x.w[e])
	}
	x.w = next
}

// curvature is that of ℓ along its gradient, at most L.
func curvature(p *view.Problem, s *gcg.State, g []float64) float64 {
	square := kernel.SumSq(g)
	if p.Curved == nil || !(square > 0) {
		return 1
	}
	z, h := make([]float64, len(s.Z)), make([]float64, len(s.Z))
	p.Apply(z, matrix(g, s.W.M, s.W.N))
	p.Sum(func(lo, hi int) float64 {
		gcg.HessTo(p.Curved, h[lo:hi], lo, s.Z[lo:hi], s.R[lo:hi], z[lo:hi])
		return 0
	})
	if l := kernel.Dot(z, h) / square; l > 0 && !math.IsInf(l, 1) {
		return l
	}
	return 1
}

// matrix is W I, for gauges of any kind: steps read no atoms.
func matrix(w []float64, m, n int) *gcg.Iterate {
	u := gcg.NewFactor(m, n)
	for i := range m {
		copy(u.Row(i), w[i*n:(i+1)*n])
	}
	return &gcg.Iterate{M: m, N: n, U: u, V: gcg.Identity(n)}
}
