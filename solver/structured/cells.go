package structured

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

const (
	// dualPart is the part of what θ is above its lower bound to which it is found: each is as much of the gap.
	dualPart = 1e-3
	// boundRounding is the part by which rounding may have raised a lower bound of θ.
	boundRounding = 1e-9
)

// cells are the penalty w Σ|c_{b+1} - c_b| on an x that is constant, c_b, on cells of width_b neighbours. The unknowns are
// d_b = √width_b c_b, so that ‖d‖ = ‖x‖.
type cells struct {
	weight      float64
	width, root []float64 // nil where all are 1
}

// of is c_b of an unknown.
func (g *cells) of(d []float64, b int) float64 {
	if g.root == nil {
		return d[b]
	}
	return d[b] / g.root[b]
}

// wide is width_b.
func (g *cells) wide(b int) float64 {
	if g.width == nil {
		return 1
	}
	return g.width[b]
}

// ready is true.
func (*cells) ready() bool { return true }

// proxTo is the taut string, and then the soft thresholds of the ℓ1 norm or of the projection on its ball: these keep the order
// of neighbours, so that the subgradients of the total variation are still some [Friedman, Hastie, Höfling and Tibshirani 2007].
func (g *cells) proxTo(dst, v []float64, t float64, h *shrinkage) {
	c := dst
	if g.root != nil {
		for b, r := range g.root {
			c[b] = v[b] / r
		}
		v = append([]float64(nil), c...)
	}
	if g.weight == 0 || t == 0 {
		copy(c, v)
	} else {
		linalg.TautString(v, g.width, t*g.weight, func(from, to int, slope, _, _ float64) {
			for b := from; b < to; b++ {
				c[b] = slope
			}
		})
	}
	theta := t * h.lambda
	if h.ball {
		theta = g.threshold(c, h.radius)
	}
	for b, x := range c {
		c[b] = linalg.Soft(x, theta)
	}
	for b, r := range g.root {
		dst[b] *= r
	}
}

// threshold is the θ for which Σ width_b|soft(c_b, θ)| = radius, 0 where that is too large.
func (g *cells) threshold(c []float64, radius float64) (theta float64) {
	if g.width == nil {
		return linalg.BallThreshold(c, radius)
	}
	for { // rises to the solution, and leaves out a cell more each time
		sum, width := -radius, 0.0
		for b, x := range c {
			if x = math.Abs(x); x > theta {
				sum, width = sum+g.width[b]*x, width+g.width[b]
			}
		}
		next := sum / width
		if !(next > theta) {
			return theta
		}
		theta = next
	}
}

// value is w Σ|c_{b+1} - c_b|.
func (g *cells) value(d []float64) (sum float64) {
	for b := 1; b < len(d); b++ {
		sum += math.Abs(g.of(d, b) - g.of(d, b-1))
	}
	return g.weight * sum
}

// size is ‖x‖₁.
func (g *cells) size(d []float64) (sum float64) {
	if g.root == nil {
		return linalg.SumAbs(d)
	}
	for b, x := range d {
		sum += g.root[b] * math.Abs(x)
	}
	return sum
}

// dualTo finds the least θ for which some |u| ≤ w has |q_b + u_{b-1} - u_b| ≤ θ width_b for all b, u being 0 at both ends, by
// halving: the u_b that those before allow are an interval. u is then read off backwards. q is the gradient in the unknowns.
func (g *cells) dualTo(u, q []float64, bound float64) (theta float64) {
	n := len(q)
	if g.root != nil {
		q = append([]float64(nil), q...)
		for b, r := range g.root {
			q[b] *= r
		}
	}
	low, high := make([]float64, n+1), make([]float64, n+1)
	lo, hi := bound*(1-boundRounding), bound
	for b, x := range q {
		hi = math.Max(hi, math.Abs(x)/g.wide(b))
	}
	closed := func(lo, hi float64) bool { return hi-lo <= math.Max(levelRounding*hi, dualPart*(hi-bound)) }
	_, hi = roots.BisectUntil(lo, hi, closed, func(theta float64) bool { return !g.allows(theta, q, low, high) })
	g.allows(hi, q, low, high)
	next := 0.0 // u_b
	for b := n - 1; b > 0; b-- {
		reach := hi * g.wide(b)
		from, to := math.Max(low[b], next-q[b]-reach), math.Min(high[b], next-q[b]+reach)
		next = from + (to-from)/2
		u[b-1] = math.Max(-g.weight, math.Min(g.weight, next))
	}
	return hi
}

// levelRounding is the part of θ at which the search for it ends.
const levelRounding = rounding.Number

// allows writes the interval of each u_{b-1}, b ≥ 1, and reports whether the last may be 0.
func (g *cells) allows(theta float64, q, low, high []float64) bool {
	low[0], high[0] = 0, 0
	for b, x := range q {
		limit, reach := g.weight, theta*g.wide(b)
		if b == len(q)-1 {
			limit = 0
		}
		low[b+1], high[b+1] = math.Max(low[b]+x-reach, -limit), math.Min(high[b]+x+reach, limit)
		if low[b+1] > high[b+1] {
			return false
		}
	}
	return true
}
