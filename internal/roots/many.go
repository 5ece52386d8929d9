package roots

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

const (
	rounds   = 100             // secants and halvings; five to ten are common
	rootPart = rounding.Number // part of x, and of the first bracket, that a root is found to
)

// Search writes the root xᵢ of each fᵢ between aᵢ and bᵢ, where it has different signs or is 0, to dst; both are overwritten, and
// dst may be one of them. All fᵢ rise by at least slope, or fall by that: |fᵢ(xᵢ)|/slope bounds how far a root is. f writes
// fᵢ(xᵢ) for all i. Each round takes a secant step of both ends, or their middle where that is no number between.
func Search(dst, a, b []float64, slope float64, f func(fx, x []float64)) {
	n := len(dst)
	buf := memory.Borrow[float64](6 * n)
	defer memory.Repay(buf)
	part := func(i int) []float64 { return buf[i*n : (i+1)*n] }
	fa, fb, x, fx, last, width := part(0), part(1), part(2), part(3), part(4), part(5)
	f(fa, a)
	f(fb, b)
	clear(last)
	for i := range width {
		width[i] = math.Abs(b[i] - a[i])
	}
	for range rounds {
		for i := range x {
			x[i] = secant(a[i], b[i], fa[i], fb[i])
		}
		f(fx, x)
		open := false
		for i, y := range fx {
			if (y > 0) == (fa[i] > 0) && y != 0 {
				a[i], fa[i] = x[i], y
				if last[i] > 0 { // the Illinois rule: the end that stays loses half of its weight
					fb[i] /= 2
				}
				last[i] = 1
			} else {
				b[i], fb[i] = x[i], y
				if last[i] < 0 {
					fa[i] /= 2
				}
				last[i] = -1
			}
			near := rootPart * (math.Abs(x[i]) + width[i])
			open = open || y != 0 && math.Abs(b[i]-a[i]) > near && math.Abs(y) > near*slope
		}
		if !open {
			break
		}
	}
	copy(dst, x)
}

// secant is where the line through both ends is 0, or their middle where that is no number within.
func secant(a, b, fa, fb float64) float64 {
	if fa == 0 || a == b {
		return a
	}
	if fb == 0 {
		return b
	}
	if z := a - fa*(b-a)/(fb-fa); (z-a)*(z-b) <= 0 {
		return z
	}
	return a + (b-a)/2
}
