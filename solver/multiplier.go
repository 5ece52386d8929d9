package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A minimiser of q(x) + h(κ(x)) minimises q(x) + μκ(x) for the multiplier μ = h'(κ), at which κ of that minimiser is also within the domain
// of h. As κ falls in μ there is one such μ, the root of the excess:
//
//	h'(κ) - μ    where h is finite everywhere
//	κ - ζ        where h bounds κ by ζ, or holds it there

// excessOf is the excess at μ, where the minimiser has κ = rho.
func excessOf(h gcg.Penalty, rho, mu float64) float64 {
	if zeta := h.Max(); !math.IsInf(zeta, 1) {
		return rho - zeta
	}
	return h.Deriv(rho) - mu
}

// A trialMultiplier is μ with its excess: μ is too small where that is positive.
type trialMultiplier struct{ mu, excess float64 }

// bracketRoot finds multipliers on both sides of the root of the excess. From the first one it goes up in distances that
// begin with a hundredth of unit and grow eightfold, and then down to what below gives for the same multiples of unit. It
// reports inside where it has come to μ = 0 and that is not too small: the minimiser there is feasible, and the answer.
// Where κ is held at ζ, multipliers are signed and go on below 0.
func bracketRoot(excess func(mu float64) float64, first trialMultiplier, unit float64, signed bool, below func(by float64) float64) (lo, hi trialMultiplier, inside bool) {
	lo, hi = first, first
	for by := 0.01; hi.excess > 0 && by < 1e300; by *= 8 {
		lo, hi.mu = hi, first.mu+by*unit
		hi.excess = excess(hi.mu)
	}
	for by := 0.01; lo.excess <= 0 && by < 1e300; by *= 8 {
		if lo.mu == 0 && !signed {
			return lo, lo, true
		}
		hi, lo.mu = lo, below(by)
		lo.excess = excess(lo.mu)
	}
	return lo, hi, false
}

// root narrows a bracket of μ until |f| ≤ tol or the bracket is a point, where it ends on to's side, with f ≤ 0. f is called
// last at the μ that it returns: the minimiser that f leaves is the one there.
func root(f func(float64) float64, from, to trialMultiplier, tol float64) float64 {
	b := bracket{lo: from.mu, flo: from.excess, hi: to.mu, fhi: to.excess}
	for range 100 {
		if math.Abs(b.hi-b.lo) <= 1e-14*math.Max(math.Abs(b.hi), math.Abs(b.lo)) || b.fhi == 0 {
			break
		}
		mid := b.secant()
		if !(mid > b.lo && mid < b.hi) {
			mid = (b.lo + b.hi) / 2
		}
		v := f(mid)
		switch {
		case math.Abs(v) <= tol:
			return mid
		case v > 0:
			b.moveLo(mid, v)
		case b.hi-mid <= 1e-13*math.Abs(mid):
			return mid
		default:
			b.moveHi(mid, v)
		}
	}
	f(b.hi)
	return b.hi
}
