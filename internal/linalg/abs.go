package linalg

import "math"

// MaxAbs is ‖x‖_∞: 0 for an empty x, and NaN where an entry is.
func MaxAbs[T float32 | float64](x []T) (top float64) {
	for _, v := range x {
		if a := math.Abs(float64(v)); !(a <= top) {
			if top = a; math.IsNaN(a) {
				break
			}
		}
	}
	return top
}

// SumAbs is ‖x‖₁.
func SumAbs(x []float64) (sum float64) {
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}
