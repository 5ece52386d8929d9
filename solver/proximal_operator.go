package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// proximity writes argmin over X of ½‖X - Y‖² + h(κ(X))/η and returns κ(X). For h = λx it is the proximity operator of λκ/η, otherwise that
// of μκ/η with μ = h'(κ(X)): κ(X) falls in μ, so that there is one root, found from the last one.
func (x *Proximal) proximity(k gcg.ProxGauge, h gcg.Penalty, dst, y []float64, m, n int) (rho float64) {
	if linear(h) {
		return k.ProxTo(dst, y, m, n, h.Deriv(1)/x.eta)
	}
	zeta := h.Max()
	if zeta == 0 {
		clear(dst)
		return 0
	}
	at := proxAlong(k, dst, y, m, n)
	excess := func(mu float64) float64 { // > 0 where μ is too small
		rho = at(mu / x.eta)
		if !math.IsInf(zeta, 1) {
			return rho - zeta
		}
		return h.Deriv(rho) - mu
	}
	lo := trialMultiplier{x.mu, excess(x.mu)}
	hi, unit := lo, math.Max(math.Abs(x.mu), x.eta*1e-3*(rho+1e-300))
	for by := 0.01; hi.excess > 0 && by < 1e300; by *= 8 {
		lo, hi.mu = hi, x.mu+by*unit
		hi.excess = excess(hi.mu)
	}
	for by := 0.01; lo.excess <= 0 && by < 1e300; by *= 8 {
		if lo.mu == 0 && !equality(h) {
			x.mu = 0
			at(0)
			return rho
		}
		hi, lo.mu = lo, x.mu-by*unit
		if !equality(h) {
			lo.mu = math.Max(lo.mu, 0)
		}
		lo.excess = excess(lo.mu)
	}
	x.mu = root(excess, lo, hi, 0)
	if !math.IsInf(zeta, 1) && rho > 0 { // which is met but for rounding
		kernel.Scale(zeta/rho, dst)
		return zeta
	}
	return rho
}

// proxAlong is t ↦ κ of the proximity operator at y of tκ, which it writes to dst.
func proxAlong(k gcg.ProxGauge, dst, y []float64, m, n int) func(t float64) float64 {
	if a, ok := k.(gcg.ScaledProxGauge); ok {
		along := a.ProxAlong(y, m, n)
		return func(t float64) float64 { return along(dst, t) }
	}
	return func(t float64) float64 { return k.ProxTo(dst, y, m, n, t) }
}
