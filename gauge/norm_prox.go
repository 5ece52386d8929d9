package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// powerProxTo is proxNormTo for 1 < p < ∞, 0 < t < ‖x‖_q. With y = ρz, ρ = ‖y‖_p the optimality conditions are
//
//	ρzᵢ + t zᵢ^(p-1) = |xᵢ|,   ‖z‖_p = 1
//
// Every zᵢ falls as ρ grows, so that ρ is the only root of ‖z(ρ)‖_p^p - 1; it lies in (0, ‖x‖_p).
func powerProxTo(dst, x []float64, t, p float64) {
	unit := linalg.MaxAbs(x)
	t /= unit
	a := make([]float64, len(x))
	for i, v := range x {
		a[i] = math.Abs(v) / unit
	}
	excess := func(rho float64) float64 {
		s := -1.0
		for _, ai := range a {
			s += math.Pow(powerRoot(rho, t, p-1, ai), p)
		}
		return s
	}
	rho := decreasingRoot(excess, 0, pNorm(a, p))
	for i, v := range x {
		dst[i] = math.Copysign(unit*rho*powerRoot(rho, t, p-1, a[i]), v)
	}
}

// powerRoot is the z ≥ 0 with ρz + tz^e = a. Newton steps from the right fall to it without a safeguard as the left side is
// convex, in z for e ≥ 1, in s = z^e otherwise; they start where one of the two terms alone is a, which is at most twice
// the whole.
func powerRoot(rho, t, e, a float64) float64 {
	if a == 0 {
		return 0
	}
	if e < 1 {
		return math.Pow(powerRoot(t, rho, 1/e, a), 1/e)
	}
	z := math.Pow(a/t, 1/e)
	if rho > 0 {
		z = math.Min(z, a/rho)
	}
	for range 60 {
		pow := math.Pow(z, e-1)
		next := z - (rho*z+t*pow*z-a)/(rho+e*t*pow)
		if !(next < z) || next <= 0 {
			break
		}
		z = next
	}
	return z
}

// decreasingRoot is the root of f in [lo, hi], f(lo) ≥ 0 ≥ f(hi), by the Illinois variant of false position, with a bisection
// where that does not halve the interval in three steps.
func decreasingRoot(f func(float64) float64, lo, hi float64) float64 {
	flo, fhi := f(lo), f(hi)
	if flo <= 0 {
		return lo
	}
	last := hi - lo
	for step := 1; step < 200 && hi-lo > 2e-16*hi && fhi < 0; step++ {
		mid := (lo*fhi - hi*flo) / (fhi - flo)
		if step%3 == 0 {
			if hi-lo > last/2 {
				mid = lo + (hi-lo)/2
			}
			last = hi - lo
		}
		if mid <= lo || mid >= hi {
			mid = lo + (hi-lo)/2
		}
		switch fm := f(mid); {
		case fm == 0:
			return mid
		case fm > 0:
			lo, flo, fhi = mid, fm, fhi/2
		default:
			hi, fhi, flo = mid, fm, flo/2
		}
	}
	return hi
}
