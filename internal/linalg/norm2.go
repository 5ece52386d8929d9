// Package linalg holds small closed forms of linear algebra.
package linalg

import "math"

// Norm2 is the spectral norm of [a b; c d].
func Norm2(a, b, c, d float64) float64 {
	if math.IsInf(a, 1) || math.IsInf(b, 1) || math.IsInf(c, 1) || math.IsInf(d, 1) {
		return math.Inf(1)
	}
	scale := math.Max(math.Max(math.Abs(a), math.Abs(b)), math.Max(math.Abs(c), math.Abs(d)))
	if scale == 0 {
		return 0
	}
	a, b, c, d = a/scale, b/scale, c/scale, d/scale
	f, det := a*a+b*b+c*c+d*d, a*d-b*c
	return scale * math.Sqrt((f+math.Sqrt(math.Max(f*f-4*det*det, 0)))/2)
}
