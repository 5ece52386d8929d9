package sliding

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/rootfind"
)

// jointly minimises ½‖c u + θa - T‖² + h(cρ + θ) over c ≥ 0 and θ ≥ 0. For h = λx that is a closed form. For others it is that
// with the multiplier μ = h'(cρ + θ) for λ, which is found as a root.
func jointly(q products, rho float64, h gcg.Penalty) (c, theta float64) {
	if view.IsLinear(h) {
		return q.linear(rho, h.Deriv(1))
	}
	zeta := h.Max()
	if zeta == 0 {
		return 0, 0
	}
	excess := func(mu float64) float64 {
		c, theta = q.linear(rho, mu)
		return rootfind.ExcessOf(h, c*rho+theta, mu)
	}
	signed := view.HoldsGauge(h)
	first := rootfind.TrialMultiplier{Mu: 0, Excess: excess(0)}
	unit := math.Max(math.Abs(q.at), math.Abs(q.ut)/math.Max(rho, leastGauge))
	if !(unit > 0) || math.IsInf(unit, 1) {
		unit = 1
	}
	lo, hi, inside := rootfind.BracketRoot(excess, first, unit, signed, func(by float64) float64 {
		if mu := -by * unit; signed || mu > 0 {
			return mu
		}
		return 0
	})
	if !inside {
		rootfind.Root(excess, lo, hi, 0)
	} else {
		excess(0)
	}
	if at := c*rho + theta; !math.IsInf(zeta, 1) && at > 0 && (at > zeta || signed) { // met but for rounding
		c, theta = c*zeta/at, theta*zeta/at
	}
	return c, theta
}

// linear is the minimiser for h = λx: of both weights where they are not negative, else the better one of each alone.
func (q products) linear(rho, lambda float64) (c, theta float64) {
	bu, ba := q.ut-lambda*rho, q.at-lambda
	det := q.uu*q.aa - q.ua*q.ua
	if det > dependent*q.uu*q.aa {
		c, theta = (bu*q.aa-ba*q.ua)/det, (ba*q.uu-bu*q.ua)/det
		if c >= 0 && theta >= 0 {
			return c, theta
		}
	}
	var alone, gain float64
	if q.uu > 0 && bu > 0 {
		alone, gain = bu/q.uu, bu*bu/q.uu
	}
	if q.aa > 0 && ba > 0 && ba*ba/q.aa > gain {
		return 0, ba / q.aa
	}
	return alone, 0
}

// dependent is the squared sine of the angle below which u and a count as parallel.
const dependent = 1e-14
