package loss

import "math"

// An interval is the domain lo ≤ u ≤ hi in ℓ(z) = max over u of u(z-y). Every loss of one prediction that is Lipschitz with a
// kink at the target has this form, with one interval for y ≤ 0 and one for y > 0. The hinge is max(0, 1-yz) = max over t in [0,
// 1] of -ty(z-y), because y² = 1. Smoothed with a width μ it is max over u of u(z-y) - μu²/2 [Argyriou14 eq 4.2].
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

// inside moves u from where rounding may have put it back into [lo, hi], and reports whether it was farther outside.
func inside(u, lo, hi float64) (float64, bool) {
	return min(max(u, lo), hi), u >= lo-domainRounding && u <= hi+domainRounding
}

// conjugate is ℓ*(u) = uy on the interval.
func (iv *interval) conjugate(u, y float64) float64 {
	lo, hi := iv.at(y)
	u, ok := inside(u, lo, hi)
	if !ok {
		return math.Inf(1)
	}
	return u * y
}

// smoothTo, slopeTo and conjugateTo are what a Lipschitz loss asks for, on a block with targets y.
func (iv *interval) smoothTo(value, u, y, z []float64, mu float64) {
	for i, yi := range y {
		d := z[i] - yi
		lo, hi := iv.at(yi)
		t := clip(d, mu, lo, hi)
		u[i], value[i] = t, t*(d-mu*t/2)
	}
}

func (iv *interval) slopeTo(dst, y, z, e []float64, mu float64) {
	for i, yi := range y {
		f := 0.0
		if lo, hi := iv.at(yi); z[i]-yi > lo*mu && z[i]-yi < hi*mu {
			f = 1 / mu
		}
		dst[i] = f * e[i]
	}
}

func (iv *interval) conjugateTo(value, y, u []float64) {
	for i, yi := range y {
		value[i] = iv.conjugate(u[i], yi)
	}
}
