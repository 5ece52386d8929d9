package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A blockModel is the quadratic model of L on a support, q(x) = ⟨g, x - x₀⟩ + ½(x - x₀)ᵀH(x - x₀).
type blockModel struct {
	u     *support
	start []float64      // x₀
	grad  []float64      // g
	hess  *hessian.Parts // H; its places alone where there are products
	tops  []float64      // the largest eigenvalue of a block, at its first entry; 0 where it is not known yet

	room  []float64 // of descendBlock
	swept float64   // flops of sweeps, less those of Newton steps on faces

	products *products // or nil
	most     float64   // κ(x) at which a descent is given up; 0 is none
	loose    bool      // at a known μ, far from the end: the minimum is not worth its digits
}

// model is that at the state, with the second derivatives of L there, or by products alone.
func (u *support) model(p *view.Problem, s *gcg.State) *blockModel {
	t := len(u.x)
	m := &blockModel{u: u, start: append([]float64(nil), u.x...), grad: make([]float64, t)}
	u.adjointTo(p, m.grad, s.R)
	kernel.Scale(-1, m.grad)
	if u.byProducts(p) {
		u.known = 0
		m.hess, m.products = hessian.Unformed(t), newProducts(u, p, s)
		return m
	}
	if !p.Quadratic() {
		u.known = 0
	}
	if u.known < t || s.Intercept != nil {
		u.secondDerivatives(p, s)
	}
	m.hess = u.hess
	return m
}

// secondDerivatives completes hess, of which that for the first known entries is kept.
func (u *support) secondDerivatives(p *view.Problem, s *gcg.State) {
	if u.known > len(u.x) || s.Intercept != nil {
		u.known = 0
	}
	u.extract()
	hess := hessian.NewParts(p, s, u.columns)
	if u.known > 0 {
		hess.Keep(u.hess, u.known)
	}
	hess.From(p, s, u.columns).Complete(u.known)
	if s.Intercept != nil {
		hess.From(p, s, u.columns).Profile()
	}
	u.hess, u.known = hess, len(u.x)
}

// minimise is the minimiser of q(x) + h(Σκ_b(x_b)): for h = λx by one descent, and else by the search for the multiplier μ,
// with a descent for each that is tried.
func (m *blockModel) minimise(ctx context.Context, h gcg.Penalty, goal float64) []float64 {
	x := append([]float64(nil), m.start...)
	if view.IsLinear(h) {
		m.loose = goal > looseGoal
		m.descend(ctx, x, h.Deriv(1), goal)
		return x
	}
	var tooFar jump
	m.most = m.mostGauge(h)
	excess := func(mu float64) float64 { // > 0 where μ is too small
		m.u.multiplier = mu
		m.descend(ctx, x, mu, goalPart*goal)
		off := roots.ExcessOf(h, m.u.rho(x), mu)
		if m.u.rho(x) > m.most { // from where no descent comes back
			copy(x, m.start)
		}
		if off > 0 && !math.IsInf(h.Max(), 1) {
			tooFar = jump{append(tooFar.x[:0], x...), m.u.rho(x)}
		}
		return off
	}
	lo, hi, inside := m.bracket(h, excess)
	if !inside {
		unit := math.Abs(hi.Mu)
		if zeta := h.Max(); !math.IsInf(zeta, 1) {
			unit = zeta
		}
		roots.Root(excess, lo, hi, rootPart*goal*unit)
		tooFar.cross(x, m.u.rho(x), h.Max())
	}
	// A ρ short of ζ costs μ(ζ - ρ), which near the end is more than a step gains.
	if rho, zeta := m.u.rho(x), h.Max(); rho > zeta || !inside && rho > (1-math.Max(shortOfBall, rootPart*goal))*zeta {
		kernel.Scale(zeta/rho, x)
	}
	return x
}

// tooSteep is how many times as steep as q at 0 h may be where a descent is given up.
const tooSteep = 1e3

// mostGauge is a κ that the minimiser of q + h(κ) is far below; +Inf where h says nothing of it. With the multiplier μ = h'(κ)
// the minimiser is one of q + μκ, so that μ ≤ κ°(-∇q(0)). For a smaller μ, q + μκ may fall without end: second derivatives of
// hinges and of Huber's loss are 0 beyond their kinks, where slopes are not.
func (m *blockModel) mostGauge(h gcg.Penalty) float64 {
	if !math.IsInf(h.Max(), 1) {
		return math.Inf(1)
	}
	steep := tooSteep * math.Max(linalg.SumAbs(m.gradientAt(make([]float64, len(m.start)))), linalg.SumAbs(m.grad))
	kappa := math.Max(m.u.rho(m.start), math.SmallestNonzeroFloat64)
	for h.Deriv(kappa) < steep && !math.IsInf(kappa, 1) {
		kappa *= 2
	}
	return kappa
}

// A jump is a minimiser for a μ that is too small, with κ(x) = rho > ζ. Along what q does not see κ jumps in μ: minimisers on
// both sides of that μ are minimisers at it, as is all between them.
type jump struct {
	x   []float64
	rho float64
}

// cross moves x, of κ(x) = rho < ζ where κ jumps, to where κ comes to ζ.
func (j jump) cross(x []float64, rho, zeta float64) {
	if !(rho < (1-shortOfBall)*zeta) || !(j.rho > zeta) || math.IsInf(j.rho, 1) {
		return
	}
	part := (zeta - rho) / (j.rho - rho)
	for i := range x {
		x[i] += part * (j.x[i] - x[i])
	}
}

// looseGoal is the goal above which a model is minimised only to what it is worth. Below it steps come to the rounding of F
// before the gap is closed, and a model is minimised to the end, as no other step would be seen to lower F.
const looseGoal = 1e-5

// rootPart is the part of the goal to which κ meets its bound, after which it is scaled to that, or μ meets h'(κ).
const rootPart = 1e-3

// shortOfBall is the part of ζ that κ may be short of it by and is scaled up to it: a multiplier is not found more closely.
const shortOfBall = 1e-6

// leastMultiplier is the part of the largest derivative below which a multiplier is tried as 0.
const leastMultiplier = 1e-9

// promise is what q + h(κ) falls by from x₀ to x.
func (m *blockModel) promise(x []float64, h gcg.Penalty) float64 {
	rho := func(x []float64) float64 { return math.Min(m.u.rho(x), h.Max()) }
	return h.Value(rho(m.start)) - h.Value(rho(x)) - m.Value(x, m.gradientAt(x), 0)
}

// bracket finds multipliers on both sides of the root, from the one that x₀ suggests: descents are short from one minimiser
// to the next and long from far away, as at μ = 0, where columns are correlated. See roots.BracketRoot for inside.
func (m *blockModel) bracket(h gcg.Penalty, excess func(mu float64) float64) (lo, hi roots.TrialMultiplier, inside bool) {
	top := math.Max(1e-300, linalg.MaxAbs(m.grad))
	signed := view.HoldsGauge(h)
	guess := m.multiplier(h, signed, top)
	unit := math.Max(math.Abs(guess), leastScale*top)
	below := func(by float64) float64 {
		if signed {
			return guess - by*unit
		}
		if mu := guess / (1 + by); mu >= leastMultiplier*top {
			return mu
		}
		return 0
	}
	return roots.BracketRoot(excess, roots.TrialMultiplier{Mu: guess, Excess: excess(guess)}, unit, signed, below)
}

// multiplier is a first μ: that of x₀ as if it were the minimiser or, inside a ball, where x₀ suggests none, that of the
// last model. The first model begins at about where blocks begin to move, and goes down as a path does: minimisers for a μ
// far below the root take the longest.
func (m *blockModel) multiplier(h gcg.Penalty, signed bool, top float64) float64 {
	rho, first := m.u.rho(m.start), math.IsInf(m.u.multiplier, 1)
	var guess float64
	switch {
	case math.IsInf(h.Max(), 1):
		guess = h.Deriv(rho)
	case signed:
		guess = -kernel.Dot(m.grad, m.start) / h.Max()
	case rho >= view.OnBoundary*h.Max():
		guess = math.Max(0, -kernel.Dot(m.grad, m.start)/rho)
	case !first:
		guess = m.u.multiplier
	}
	if first && !signed { // an equality's root may be negative, and x₀ tells of it
		guess = math.Max(guess, top/2)
	}
	return guess
}
