package roots

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A minimiser of q(x) + h(κ(x)) minimises q(x) + μκ(x) for the multiplier μ = h'(κ), at which κ of that minimiser is also
// within the domain of h. As κ falls in μ there is one such μ, the root of the excess:
//
//	h'(κ) - μ    where h is finite everywhere
//	κ - ζ        where h bounds κ by ζ, or holds it there

// A Penalty is what a multiplier depends on of h: a gcg.Penalty.
type Penalty interface {
	Deriv(rho float64) float64
	Max() float64 // sup dom h
}

// ExcessOf is the excess at μ, where the minimiser has κ = rho.
func ExcessOf(h Penalty, rho, mu float64) float64 {
	if zeta := h.Max(); !math.IsInf(zeta, 1) {
		return rho - zeta
	}
	return h.Deriv(rho) - mu
}

// A TrialMultiplier is μ with its excess: μ is too small where that is positive.
type TrialMultiplier struct{ Mu, Excess float64 }

// firstDistance is that of the second multiplier from the first, in units: a shorter one finds a root nearby with a narrower
// bracket, a longer one is sooner at one far away.
const firstDistance = 0.01

// Widths of a bracket, as parts of μ, at which its ends are the same point, and at which a last secant need not be tried again.
const (
	pointWide = rounding.Sum     // of the whole bracket
	endWide   = rounding.Product // between a trial and the end on the side of the root that is returned
)

// BracketRoot finds multipliers on both sides of the root of the excess. From the first one it goes up in distances that
// begin with a hundredth of unit and grow eightfold, and then down to what below gives for the same multiples of unit. It
// reports inside where it has come to μ = 0 and that is not too small: the minimiser there is feasible, and the answer.
// Where κ is held at ζ, multipliers are signed and go on below 0.
func BracketRoot(excess func(mu float64) float64, first TrialMultiplier, unit float64, signed bool,
	below func(by float64) float64) (lo, hi TrialMultiplier, inside bool) {
	lo, hi = first, first
	for by := firstDistance; hi.Excess > 0 && by < 1e300; by *= 8 {
		lo, hi.Mu = hi, first.Mu+by*unit
		hi.Excess = excess(hi.Mu)
	}
	for by := firstDistance; lo.Excess <= 0 && by < 1e300; by *= 8 {
		if lo.Mu == 0 && !signed {
			return lo, lo, true
		}
		hi, lo.Mu = lo, below(by)
		lo.Excess = excess(lo.Mu)
	}
	return lo, hi, false
}

// Root narrows a bracket of μ until |f| ≤ tol or the bracket is a point, where it ends on to's side, with f ≤ 0. f is called
// last at the μ that it returns: the minimiser that f leaves is the one there.
func Root(f func(float64) float64, from, to TrialMultiplier, tol float64) float64 {
	b := Bracket{Lo: from.Mu, Flo: from.Excess, Hi: to.Mu, Fhi: to.Excess}
	for range 100 {
		if math.Abs(b.Hi-b.Lo) <= pointWide*math.Max(math.Abs(b.Hi), math.Abs(b.Lo)) || b.Fhi == 0 {
			break
		}
		mid := b.Secant()
		if !(mid > b.Lo && mid < b.Hi) {
			mid = (b.Lo + b.Hi) / 2
		}
		v := f(mid)
		switch {
		case math.Abs(v) <= tol:
			return mid
		case v > 0:
			b.MoveLo(mid, v)
		case b.Hi-mid <= endWide*math.Abs(mid):
			return mid
		default:
			b.MoveHi(mid, v)
		}
	}
	f(b.Hi)
	return b.Hi
}
