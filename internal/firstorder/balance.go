package firstorder

import "math"

// A Balance keeps the two residuals of alternating directions, or of primal and dual steps, alike by the weight of the quadratic
// term [He, Yang and Wang 2000]: the primal residual falls as the weight rises, and the dual one rises.
type Balance struct {
	Apart float64 // the quotient of the residuals beyond which the weight changes
	By    float64 // the factor of a change
	// Far is the quotient beyond which the factor is its root in place of By, for quotients up to Most; 0 is never.
	Far, Most float64
	// Fade is the power by which By is less after each change, so that the weight settles; 0 leaves it.
	Fade float64
	// Rest widens Apart by the factor By where a change takes back the one before, so that the weight comes to rest.
	Rest bool

	last float64 // the factor before, or 0
}

// Factor is what to multiply the weight by; 1 leaves it, as where both residuals are 0 or one is not a number.
func (b *Balance) Factor(primal, dual float64) float64 {
	less, more := math.Min(primal, dual), math.Max(primal, dual)
	if !(more > b.Apart*less) {
		return 1
	}
	factor := b.By
	if b.Far > 0 && more > b.Far*less {
		factor = math.Sqrt(math.Min(more/less, b.Most))
	}
	if dual > primal {
		factor = 1 / factor
	}
	if b.Rest && b.last != 0 && (b.last > 1) != (factor > 1) {
		b.Apart *= b.By
	}
	if b.Fade > 0 {
		b.By = math.Pow(b.By, b.Fade)
	}
	b.last = factor
	return factor
}
