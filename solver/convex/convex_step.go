package convex

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/internal/rootfind"
)

// searchTol is the part of the slope that a search may leave.
const searchTol = 1e-6

// search sets η to where ℓ((1-η)x + ηd) + (1-η)f(x) + ηf(d), which is at least F, is about least in [0, 1]: secants in a
// bracket of the root of its derivative, one gradient each, whose number it returns. It ends where the derivative is not
// positive, so that F does not rise.
func (c *Method) search(s *gcg.State, x, d []float64, eta *float64) (gradients int) {
	n := len(x)
	lift := c.ValueAt(d) - c.ValueAt(x)
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
	b := rootfind.Bracket{Lo: 0, Flo: slope, Hi: 1, Fhi: along(1)}
	if b.Fhi <= 0 {
		*eta = 1
		return gradients
	}
	for range 40 {
		// Where the derivative at hi is rounding, so is the secant's distance from hi, and the root is just short of it.
		mid := math.Min(b.Secant(), b.Hi-searchTol/2*(b.Hi-b.Lo))
		if !(mid > b.Lo && mid < b.Hi) {
			break
		}
		v := along(mid)
		if v > 0 {
			b.MoveHi(mid, v)
			continue
		}
		b.MoveLo(mid, v)
		if v >= searchTol*slope {
			break
		}
	}
	*eta = b.Lo
	return gradients
}

// moveTo puts the state at x.
func (c *Method) moveTo(p *gcg.Problem, s *gcg.State, x []float64) {
	s.W = &gcg.Iterate{M: len(x) + 1, N: 1, Terms: []gcg.Term{{Atom: c.graphAtom(x), Weight: 1}}}
	s.Rho = 1
	s.Refresh(p)
}
