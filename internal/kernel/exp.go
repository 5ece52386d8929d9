package kernel

import "math"

// ExpTo computes dst[i] = exp(x[i]) over the elements of x, within 2 units in the last place of the true value,
// subnormal results and overflow to +Inf included; exp(-Inf) = 0, exp(NaN) = NaN. dst may be x.
// 0.8 ns an element, 0.3 in float32, plain Go 8 ns.
func ExpTo(dst, x []float64) {
	need("dst", len(dst), len(x))
	expTo(active64, dst, x, 0)
}

// ExpShiftTo computes dst[i] = exp(x[i] - shift) like ExpTo, and returns their sum.
func ExpShiftTo(dst, x []float64, shift float64) float64 {
	need("dst", len(dst), len(x))
	return expTo(active64, dst, x, shift)
}

func expTo[T real](s *kernels[T], dst, x []T, shift T) (sum float64) {
	for len(x) > block {
		sum += s.expTo(dst[:block], x[:block], shift)
		dst, x = dst[block:], x[block:]
	}
	return sum + s.expTo(dst[:len(x)], x, shift)
}

func largest[T real](s *kernels[T], x []T) T {
	top := T(math.Inf(-1))
	for lo := 0; lo < len(x); lo += block {
		top = max(top, s.max(x[lo:min(lo+block, len(x))]))
	}
	return top
}
