package extending

import "math"

// Power is the penalty h(x) = λxᵖ/p, for a λ > 0 and a p > 1.
type Power struct{ Lambda, P float64 }

// Value is h(rho).
func (h Power) Value(rho float64) float64 { return h.Lambda * math.Pow(rho, h.P) / h.P }

// Deriv is h'(rho) = λ rho^(p-1).
func (h Power) Deriv(rho float64) float64 { return h.Lambda * math.Pow(rho, h.P-1) }

// Max is +Inf: h bounds nothing.
func (h Power) Max() float64 { return math.Inf(1) }

// Conj is the largest x·polar - h(x) over 0 ≤ x ≤ rhoMax, and its x: where h'(x) = polar, or the end of the range.
func (h Power) Conj(polar, rhoMax float64) (value, at float64) {
	at = math.Min(math.Pow(math.Max(polar, 0)/h.Lambda, 1/(h.P-1)), rhoMax)
	return at*polar - h.Value(at), at
}
