// Package roots finds roots of functions of one variable: one within a bracket by secants, by halves or by the steps of another
// method (roots.go), many together, so that all of them are evaluated at once (many.go), and the multiplier μ = h'(κ) for which a
// minimiser of q + μκ also minimises q + h(κ) (multiplier.go).
package roots

import "math"

// A Bracket encloses a root of f: f has different signs at Lo and Hi. Secants narrow it by the Illinois form of regula falsi: the
// value at an end that stays twice in a row is halved, so that the other side moves soon. Where f is linear the first secant is
// exact.
type Bracket struct {
	Lo, Flo, Hi, Fhi float64
	side             int // that moved last: 1 lo, -1 hi
}

// Secant is where the line through both ends is 0.
func (b *Bracket) Secant() float64 { return b.Hi - b.Fhi*(b.Hi-b.Lo)/(b.Fhi-b.Flo) }

// MoveLo makes x, where the function is f, the lower end.
func (b *Bracket) MoveLo(x, f float64) {
	b.Lo, b.Flo = x, f
	if b.side == 1 {
		b.Fhi /= 2
	}
	b.side = 1
}

// MoveHi makes x, where the function is f, the upper end.
func (b *Bracket) MoveHi(x, f float64) {
	b.Hi, b.Fhi = x, f
	if b.side == -1 {
		b.Flo /= 2
	}
	b.side = -1
}

// mostHalves of an interval leave 1e-60 of it: a root that is 0 beside its bracket ends there.
const mostHalves = 200

// Bisect halves the interval from lo to hi until it is no longer than width, or no number is between its ends, or 200 times.
// below says that a number is below the root.
func Bisect(lo, hi, width float64, below func(x float64) bool) (from, to float64) {
	return BisectUntil(lo, hi, func(lo, hi float64) bool { return hi-lo <= width }, below)
}

// BisectUntil is Bisect that ends where closed says that the interval is short enough.
func BisectUntil(lo, hi float64, closed func(lo, hi float64) bool, below func(x float64) bool) (from, to float64) {
	for k := 0; k < mostHalves && !closed(lo, hi); k++ {
		mid := lo + (hi-lo)/2
		if !(lo < mid && mid < hi) {
			break
		}
		if below(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo, hi
}

// A Guard keeps the steps of a method that converges fast near a root, but may leave it, within the interval from Lo to Hi, which
// the caller narrows.
type Guard struct {
	Lo, Hi float64
	step   float64 // the last one, or the interval that was halved
}

// Next is next, where the method would go from x, if that is within the interval and at most half as far as its step before;
// the middle of the interval otherwise.
func (g *Guard) Next(x, next float64) float64 {
	if g.step == 0 {
		g.step = g.Hi - g.Lo
	}
	move := math.Abs(next - x)
	if !(next > g.Lo && next < g.Hi) || move > g.step/2 {
		g.step = g.Hi - g.Lo
		return g.Lo + g.step/2
	}
	g.step = move
	return next
}
