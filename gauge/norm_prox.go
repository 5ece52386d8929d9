package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// powerProxTo is proxNormTo for 1 < p < ∞, 0 < t < ‖x‖_q. With y = ρz, ρ = ‖y‖_p the optimality conditions are
//
//	ρzᵢ + t zᵢ^(p-1) = |xᵢ|,   ‖z‖_p = 1
//
// Every zᵢ falls as ρ grows, so that ρ is the only root of ‖z(ρ)‖_p - 1; it lies in (0, ‖x‖_p). Newton steps to it, within what is left of
// that, begin where it is for p = 2.
func powerProxTo(dst, x []float64, t, p float64) {
	unit := linalg.MaxAbs(x)
	t /= unit
	a, z := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		a[i] = math.Abs(v) / unit
	}
	lo, hi := 0.0, pNorm(a, p)
	rho := hi * (1 - t/pNorm(a, dual(p)))
	for range 200 {
		excess, slope := powerRoots(z, a, rho, t, p)
		if excess > 0 {
			lo = rho
		} else {
			hi = rho
		}
		next := rho - excess/slope
		if !(next > lo && next < hi) {
			if math.Abs(excess) <= 4*epsilon || hi-lo <= epsilon*hi {
				break
			}
			next = lo + (hi-lo)/2
		}
		if math.Abs(next-rho) <= epsilon*rho {
			break
		}
		rho = next
	}
	for i, v := range x {
		dst[i] = math.Copysign(unit*rho*z[i], v)
	}
}

// powerRoots moves z to the roots of ρzᵢ + t zᵢ^(p-1) = aᵢ, and returns ‖z‖_p - 1 with its derivative in ρ.
func powerRoots(z, a []float64, rho, t, p float64) (excess, slope float64) {
	var sum float64
	for i, ai := range a {
		if ai == 0 {
			continue
		}
		root, low := powerRoot(z[i], rho, t, p-1, ai)
		if z[i] = root; root == 0 {
			continue
		}
		sum += root * low
		slope -= root * low / (rho + (p-1)*t*low/root)
	}
	norm := math.Pow(sum, 1/p)
	return norm - 1, norm / sum * slope
}

// powerRoot is the z ≥ 0 with ρz + tz^e = a > 0, and z^e. The left side is convex, in z for e ≥ 1, in s = z^e otherwise: Newton steps from the
// right fall to it without a safeguard, and those from the left jump there first. They start from where z was last, if it is not 0, and
// else from where one of the two terms alone is a, which is at most twice the whole.
func powerRoot(z, rho, t, e, a float64) (root, power float64) {
	if e < 1 {
		power, root = powerRoot(math.Pow(z, e), t, rho, 1/e, a)
		return root, power
	}
	far := math.Pow(a/t, 1/e)
	if rho > 0 {
		far = math.Min(far, a/rho)
	}
	if !(z > 0) || z > far {
		z = far
	}
	for step := range 60 {
		pow := math.Pow(z, e-1)
		next := z - (rho*z+t*pow*z-a)/(rho+e*t*pow)
		if step == 0 && next > z {
			z = math.Min(next, far)
			continue
		}
		if !(next < z) || next <= 0 {
			break
		}
		z = next
	}
	return z, math.Pow(z, e)
}
