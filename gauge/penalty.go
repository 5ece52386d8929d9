package gauge

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Linear is h(x) = λx.
type Linear struct{ Lambda float64 }

// Value is λ·rho.
func (h Linear) Value(rho float64) float64 { return h.Lambda * rho }

// Deriv is λ.
func (h Linear) Deriv(float64) float64 { return h.Lambda }

// Max is +Inf.
func (h Linear) Max() float64 { return math.Inf(1) }

// Conj is 0 at 0 for polar ≤ λ, and (polar - λ)·rhoMax at rhoMax otherwise.
func (h Linear) Conj(polar, rhoMax float64) (value, at float64) {
	if polar <= h.Lambda {
		return 0, 0
	}
	return (polar - h.Lambda) * rhoMax, rhoMax
}

// Square is h(x) = λx²/2.
type Square struct{ Lambda float64 }

// Value is λ·rho²/2.
func (h Square) Value(rho float64) float64 { return h.Lambda * rho * rho / 2 }

// Deriv is λ·rho.
func (h Square) Deriv(rho float64) float64 { return h.Lambda * rho }

// Max is +Inf.
func (h Square) Max() float64 { return math.Inf(1) }

// Conj is attained at max(polar, 0)/λ, or at rhoMax if that is less; polar²/(2λ) in the first case, for polar ≥ 0.
func (h Square) Conj(polar, rhoMax float64) (value, at float64) {
	if h.Lambda == 0 {
		return Linear{}.Conj(polar, rhoMax)
	}
	at = math.Min(math.Max(polar, 0)/h.Lambda, rhoMax)
	return at*polar - h.Value(at), at
}

// Ball is the constraint κ ≤ ζ: h = 0 on [0, ζ], +Inf beyond. Values that exceed ζ by a few roundings count as ζ.
type Ball struct{ Zeta float64 }

// Value is 0 up to ζ, with a tolerance of 1e-12·ζ, and +Inf beyond.
func (h Ball) Value(rho float64) float64 {
	if rho > h.Zeta*(1+rounding.Null) {
		return math.Inf(1)
	}
	return 0
}

// Deriv is 0 up to ζ, and +Inf beyond.
func (h Ball) Deriv(rho float64) float64 {
	if rho > h.Zeta {
		return math.Inf(1)
	}
	return 0
}

// Max is ζ.
func (h Ball) Max() float64 { return h.Zeta }

// Conj is 0 at 0 for polar ≤ 0, and ζ·polar at ζ otherwise; rhoMax takes the place of ζ where it is less.
func (h Ball) Conj(polar, rhoMax float64) (value, at float64) {
	if polar <= 0 {
		return 0, 0
	}
	at = math.Min(h.Zeta, rhoMax)
	return at * polar, at
}

// Equal is the constraint κ = ζ: h = 0 at ζ, +Inf elsewhere. Values a few roundings from ζ count as ζ. It needs a gauge whose
// polar may be negative (Simplex, Spectrahedron), and a start with κ = ζ.
type Equal struct{ Zeta float64 }

// Value is 0 at ζ, with a tolerance of 1e-12·ζ, and +Inf elsewhere.
func (h Equal) Value(rho float64) float64 {
	if math.Abs(rho-h.Zeta) > h.Zeta*rounding.Null {
		return math.Inf(1)
	}
	return 0
}

// Deriv is 0 at ζ, an element of ∂h, -Inf below and +Inf above.
func (h Equal) Deriv(rho float64) float64 {
	switch {
	case h.Value(rho) == 0:
		return 0
	case rho < h.Zeta:
		return math.Inf(-1)
	}
	return math.Inf(1)
}

// Max is ζ.
func (h Equal) Max() float64 { return h.Zeta }

// Conj is ζ·polar whatever its sign: the domain is one point, which no bound on κ(W*) can exclude.
func (h Equal) Conj(polar, _ float64) (value, at float64) { return h.Zeta * polar, h.Zeta }
