// Package linalg holds small linear algebra that always returns: closed forms, decompositions with a fallback, norms and soft
// thresholds.
package linalg

import "math"

// Norm2 is the spectral norm of [a b; c d]: half the sum of √((a+d)² + (b-c)²) and √((a-d)² + (b+c)²), the lengths of its
// rotating and its reflecting part. From the eigenvalues of the Gram matrix it would lose half of the digits where both
// singular values are close.
func Norm2(a, b, c, d float64) float64 {
	if math.IsInf(a, 1) || math.IsInf(b, 1) || math.IsInf(c, 1) || math.IsInf(d, 1) {
		return math.Inf(1)
	}
	scale := math.Max(math.Max(math.Abs(a), math.Abs(b)), math.Max(math.Abs(c), math.Abs(d)))
	if scale == 0 {
		return 0
	}
	a, b, c, d = a/scale, b/scale, c/scale, d/scale
	return scale * ((math.Hypot(a+d, b-c) + math.Hypot(a-d, b+c)) / 2)
}
