package gauge

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// exponent is p, with 2 for 0. It refuses p < 1, which gives no norm.
func exponent(gauge string, p float64) (float64, error) {
	switch {
	case p == 0:
		return 2, nil
	case p >= 1:
		return p, nil
	}
	return 0, fmt.Errorf("gauge: %s: p = %v is no norm; p is at least 1, or infinite", gauge, p)
}

// dual is q with 1/p + 1/q = 1.
func dual(p float64) float64 {
	switch {
	case p == 1:
		return math.Inf(1)
	case math.IsInf(p, 1):
		return 1
	}
	return p / (p - 1)
}

// holderTo writes the a with ‖a‖_p = 1 and ⟨a, g⟩ = ‖g‖_q: aᵢ = sign(gᵢ)(|gᵢ|/‖g‖_q)^(q-1). For p = 1 it is the sign of the
// first largest entry, at that entry, for p = ∞ the signs of all entries. a is 0 where g is, except at g = 0, where it is the
// first unit vector.
func holderTo(a, g []float64, p float64) {
	q := dual(p)
	norm := linalg.PNorm(g, q)
	at := 0
	for i, x := range g {
		if math.Abs(x) > math.Abs(g[at]) {
			at = i
		}
		a[i] = 0
		if x != 0 && !math.IsInf(q, 1) {
			a[i] = math.Copysign(math.Pow(math.Abs(x)/norm, q-1), x)
		}
	}
	if norm == 0 || math.IsInf(q, 1) {
		a[at] = math.Copysign(1, g[at])
		return
	}
	if !math.IsInf(p, 1) { // the powers of tiny entries may have rounded
		scale := linalg.PNorm(a, p)
		for i := range a {
			a[i] /= scale
		}
	}
}

// proxNormTo writes argmin over y of ½‖y - x‖² + t‖y‖_p into dst, which may be x, and returns ‖y‖_p. By Moreau's identity y
// is x less its projection on the ball ‖·‖_q ≤ t, so that it is 0 where ‖x‖_q ≤ t.
func proxNormTo(dst, x []float64, t, p float64) float64 {
	norm := linalg.PNorm(x, dual(p))
	switch {
	case norm <= t:
		clear(dst[:len(x)])
		return 0
	case p == 1:
		for i, v := range x {
			dst[i] = linalg.Soft(v, t)
		}
	case p == 2:
		for i, v := range x {
			dst[i] = v * (1 - t/norm)
		}
	case math.IsInf(p, 1):
		level := linalg.BallThreshold(x, t)
		for i, v := range x {
			dst[i] = math.Copysign(math.Min(math.Abs(v), level), v)
		}
	case t == 0:
		copy(dst, x)
	default:
		powerProxTo(dst, x, t, p)
	}
	return linalg.PNorm(dst[:len(x)], p)
}
