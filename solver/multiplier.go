package solver

import "math"

// A trialMultiplier is μ with its excess.
type trialMultiplier struct{ mu, excess float64 }

// root narrows a bracket until f is at most tol, or else the bracket a point, and ends on hi's side. It returns where f was called last.
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
