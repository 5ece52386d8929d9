package loss

import (
	"math"
)

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

// An envelope is c Σ ωᵢ max over u of u(zᵢ-yᵢ) - μu²/2, u in the interval of yᵢ: what Huber and SmoothedHinge have in
// common.
type envelope struct {
	interval
	y, omega []float64
	mu, c    float64
}

func (v *envelope) curvature() float64 { return heaviest(v.omega) * v.c / v.mu }

func (v *envelope) eval(lo int, z, r []float64) float64 {
	var sum float64
	for i, y := range v.y[lo : lo+len(z)] {
		d, w := z[i]-y, weight(v.omega, lo+i)
		from, to := v.at(y)
		u := clip(d, v.mu, from, to)
		sum += w * u * (d - v.mu*u/2)
		if r != nil {
			r[i] = -v.c * w * u
		}
	}
	return v.c * sum
}

// hessTo is the generalised second derivative: 1/μ inside the smoothed part, 0 outside.
func (v *envelope) hessTo(dst []float64, lo int, z, e []float64) {
	for i, y := range v.y[lo : lo+len(z)] {
		d, f := z[i]-y, 0.0
		if from, to := v.at(y); d > from*v.mu && d < to*v.mu {
			f = v.c * weight(v.omega, lo+i) / v.mu
		}
		dst[i] = f * e[i]
	}
}

// conjugate is c Σ ωᵢ(uᵢyᵢ + μuᵢ²/2), u = p/(cω), where u is in its interval.
func (v *envelope) conjugate(lo int, r []float64, s float64) float64 {
	var sum float64
	for i, y := range v.y[lo : lo+len(r)] {
		w := weight(v.omega, lo+i)
		if w == 0 {
			if s*r[i] != 0 {
				return math.Inf(1)
			}
			continue
		}
		from, to := v.at(y)
		u, ok := inside(-s*r[i]/(v.c*w), from, to)
		if !ok {
			return math.Inf(1)
		}
		sum += w * u * (y + v.mu*u/2)
	}
	return v.c * sum
}
