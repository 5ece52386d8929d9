package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
)

// powerProxTo is proxNormTo for 1 < p < ∞ and 0 < t < ‖x‖_q. With y = ρz and ρ = ‖y‖_p the conditions of optimality are
//
//	ρzᵢ + t zᵢ^(p-1) = |xᵢ|,   ‖z‖_p = 1
//
// Every zᵢ falls as ρ grows, so that ρ is the only root of ‖z(ρ)‖_p - 1; it lies in (0, ‖x‖_p). Newton steps find it, from
// the ρ that is exact for p = 2. The bracket of the root guards them.
func powerProxTo(dst, x []float64, t, p float64) {
	unit := linalg.MaxAbs(x)
	t /= unit
	a, z := make([]float64, len(x)), make([]float64, len(x))
	for i, v := range x {
		a[i] = math.Abs(v) / unit
	}
	in := roots.Guard{Hi: linalg.PNorm(a, p)}
	rho := in.Hi * (1 - t/linalg.PNorm(a, dual(p)))
	for range 200 {
		excess, slope := powerRoots(z, a, rho, t, p)
		if excess > 0 {
			in.Lo = rho
		} else {
			in.Hi = rho
		}
		next := rho - excess/slope
		if within := next > in.Lo && next < in.Hi; !within &&
			(math.Abs(excess) <= 4*linalg.Epsilon || in.Hi-in.Lo <= linalg.Epsilon*in.Hi) {
			break
		}
		next = in.Next(rho, next)
		if math.Abs(next-rho) <= linalg.Epsilon*rho {
			break
		}
		rho = next
	}
	for i, v := range x {
		dst[i] = math.Copysign(unit*rho*z[i], v)
	}
}

// powerRoots overwrites z with the roots of ρzᵢ + t zᵢ^(p-1) = aᵢ, from which the search of each starts, and returns ‖z‖_p -
// 1 and its derivative in ρ.
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

// powerRoot is the z ≥ 0 with ρz + tz^e = a > 0, and z^e. The left side is convex in z for e ≥ 1, and in z^e otherwise. So Newton
// steps from the right of the root fall to it without a safeguard, and one from the left jumps to the right first. They start
// from the given z. Where that is 0, they start where the larger of the two terms alone is a; there the left side is at most 2a.
func powerRoot(z, rho, t, e, a float64) (root, power float64) {
	if e < 1 {
		power, root = powerRoot(math.Pow(z, e), t, rho, 1/e, a)
		return root, power
	}
	upper := math.Pow(a/t, 1/e)
	if rho > 0 {
		upper = math.Min(upper, a/rho)
	}
	if !(z > 0) || z > upper {
		z = upper
	}
	for step := range 60 {
		pow := math.Pow(z, e-1)
		next := z - (rho*z+t*pow*z-a)/(rho+e*t*pow)
		if step == 0 && next > z {
			z = math.Min(next, upper)
			continue
		}
		if !(next < z) || next <= 0 {
			break
		}
		z = next
	}
	return z, math.Pow(z, e)
}
