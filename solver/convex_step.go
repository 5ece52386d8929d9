package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// searchTol is the part of the slope that a search may leave.
const searchTol = 1e-6

// search sets η to where ℓ((1-η)x + ηd) + (1-η)f(x) + ηf(d), which is at least F, is about least in [0, 1]: secants in a
// bracket of the root of its derivative, one gradient each, whose number it returns. It ends where the derivative is not
// positive, so that F does not rise.
func (c *Convex) search(s *gcg.State, x, d []float64, eta *float64) (gradients int) {
	n := len(x)
	lift := c.value(d) - c.value(x)
	grad, try := make([]float64, n), make([]float64, n)
	along := func(eta float64) float64 {
		for i := range try {
			try[i] = (1-eta)*x[i] + eta*d[i]
		}
		c.Smooth(grad, try)
		gradients++
		sum := lift
		for i, g := range grad {
			sum += (d[i] - x[i]) * g
		}
		return sum
	}
	slope := lift // ⟨d - x, ∇ℓ(x)⟩ + f(d) - f(x)
	for i := range x {
		slope -= (d[i] - x[i]) * s.R[i]
	}
	if *eta = 0; !(slope < 0) {
		return gradients
	}
	b := bracket{lo: 0, flo: slope, hi: 1, fhi: along(1)}
	if b.fhi <= 0 {
		*eta = 1
		return gradients
	}
	for range 40 {
		// Where the derivative at hi is rounding, so is the secant's distance from hi, and the root is just short of it.
		mid := math.Min(b.secant(), b.hi-searchTol/2*(b.hi-b.lo))
		if !(mid > b.lo && mid < b.hi) {
			break
		}
		v := along(mid)
		if v > 0 {
			b.moveHi(mid, v)
			continue
		}
		b.moveLo(mid, v)
		if v >= searchTol*slope {
			break
		}
	}
	*eta = b.lo
	return gradients
}

// moveTo puts the state at x.
func (c *Convex) moveTo(p *gcg.Problem, s *gcg.State, x []float64) {
	s.W = &gcg.Iterate{M: len(x) + 1, N: 1, Terms: []gcg.Term{{Atom: c.graphAtom(x), Weight: 1}}}
	s.Rho = 1
	s.Refresh(p)
}
