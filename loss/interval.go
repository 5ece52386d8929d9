package loss

import "math"

// An interval is the domain of u in ℓ(z) = max over lo ≤ u ≤ hi of u(z-y), the form of every loss of one prediction that
// is Lipschitz with a kink at the target: one interval for y ≤ 0 and one for y > 0. The hinge is max(0, 1-yz) = max over t
// in [0, 1] of -ty(z-y), because y² = 1. Smoothed with a width μ it is max over u of u(z-y) - μu²/2 [Nesterov05, eq 4.2].
type interval [2][2]float64

var (
	absolute = interval{{-1, 1}, {-1, 1}}
	hinge    = interval{{0, 1}, {-1, 0}}
)

func (iv *interval) at(y float64) (lo, hi float64) {
	side := 0
	if y > 0 {
		side = 1
	}
	return iv[side][0], iv[side][1]
}

// clip is the u that attains the maximum, the projection of d/μ on [lo, hi]; μ may be 0.
func clip(d, mu, lo, hi float64) float64 {
	switch {
	case d <= lo*mu:
		return lo
	case d >= hi*mu:
		return hi
	}
	return d / mu
}

// radius is max |u|.
func (iv *interval) radius() float64 {
	var top float64
	for _, side := range iv {
		top = max(top, math.Abs(side[0]), math.Abs(side[1]))
	}
	return top
}

// outside is whether u is not in [lo, hi], beyond rounding.
func outside(u, lo, hi float64) bool { return !(u >= lo-slack && u <= hi+slack) }
