package linalg

import "math"

// Norm is ‖x‖₂, safe from overflow and underflow.
func Norm(x []float64) float64 {
	var s float64
	for _, v := range x {
		s += v * v
	}
	if SquareInRange(s) {
		return math.Sqrt(s)
	}
	scale := MaxAbs(x)
	if scale == 0 || math.IsInf(scale, 0) {
		return scale
	}
	s = 0
	for _, v := range x {
		s += (v / scale) * (v / scale)
	}
	return scale * math.Sqrt(s)
}

// PNorm is ‖x‖_p for p from 1 on, infinite too, safe from overflow and underflow.
func PNorm(x []float64, p float64) float64 {
	if p == 2 {
		return Norm(x)
	}
	top := MaxAbs(x)
	if math.IsInf(p, 1) || top == 0 || math.IsInf(top, 1) {
		return top
	}
	var s float64
	for _, v := range x {
		if p == 1 {
			s += math.Abs(v) / top
		} else {
			s += math.Pow(math.Abs(v)/top, p)
		}
	}
	return top * math.Pow(s, 1/p)
}

// ShrinkSquare overwrites x with argmin over y of ½‖y - x‖² + (t/2)‖y‖_p² for p = 1, 2 or infinite, and returns ‖y‖_p. With N =
// ‖y‖_p it is the proximity operator of tN‖·‖_p, which is soft thresholding at s = tN, Σ max(|xᵢ| - s, 0) = s/t, for p = 1, and
// clipping at N, Σ max(|xᵢ| - N, 0) = tN, for p = ∞.
func ShrinkSquare(x []float64, t, p float64) (norm float64) {
	switch {
	case t == 0:
	case p == 1:
		level := threshold(x, 0, 1/t)
		for i, v := range x {
			x[i] = Soft(v, level)
		}
	case p == 2:
		for i := range x {
			x[i] /= 1 + t
		}
	default:
		level := threshold(x, 0, t)
		for i, v := range x {
			x[i] = math.Copysign(math.Min(math.Abs(v), level), v)
		}
	}
	return PNorm(x, p)
}
