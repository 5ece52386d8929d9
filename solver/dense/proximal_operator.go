package dense

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/rootfind"
)

// leastUnit is the part of ηκ(X) that the distances in the search for a multiplier are at least: where the last multiplier was
// 0 there is no other scale.
const leastUnit = 1e-3

// proximity writes argmin over X of ½‖X - Y‖² + h(κ(X))/η into dst and returns κ(X). For h = λx that is the proximity
// operator of λκ/η. For others it is that of μκ/η with the multiplier μ = h'(κ(X)), whose search begins at the last one.
func (x *Proximal) proximity(k view.ProxGauge, h gcg.Penalty, dst, y []float64, m, n int) (rho float64) {
	if view.IsLinear(h) {
		return k.ProxTo(dst, y, m, n, h.Deriv(1)/x.eta)
	}
	zeta := h.Max()
	if zeta == 0 {
		clear(dst)
		return 0
	}
	at := view.Along(k, dst, y, m, n)
	excess := func(mu float64) float64 {
		rho = at(mu / x.eta)
		return rootfind.ExcessOf(h, rho, mu)
	}
	first, signed := rootfind.TrialMultiplier{Mu: x.mu, Excess: excess(x.mu)}, view.HoldsGauge(h)
	unit := math.Max(math.Abs(x.mu), x.eta*leastUnit*(rho+1e-300))
	below := func(by float64) float64 {
		if mu := first.Mu - by*unit; signed || mu > 0 {
			return mu
		}
		return 0
	}
	lo, hi, inside := rootfind.BracketRoot(excess, first, unit, signed, below)
	if inside {
		x.mu = 0
		return rho
	}
	x.mu = rootfind.Root(excess, lo, hi, 0)
	if !math.IsInf(zeta, 1) && rho > 0 { // which is met but for rounding
		kernel.Scale(zeta/rho, dst)
		return zeta
	}
	return rho
}
