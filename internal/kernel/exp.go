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

// SoftmaxTo computes dst[i] = exp(x[i]) / Σ_l exp(x[l]) and returns log Σ_l exp(x[l]), without overflow. dst may be x.
// If all of x is -Inf, or x is empty, it returns -Inf and dst is zero.
func SoftmaxTo(dst, x []float64) float64 {
	need("dst", len(dst), len(x))
	return softmaxTo(active64, dst[:len(x)], x)
}

func expTo[T real](s *kernels[T], dst, x []T, shift T) (sum float64) {
	for len(x) > block {
		sum += s.expTo(dst[:block], x[:block], shift)
		dst, x = dst[block:], x[block:]
	}
	return sum + s.expTo(dst[:len(x)], x, shift)
}

func softmaxTo[T real](s *kernels[T], dst, x []T) float64 {
	top := largest(s, x)
	if math.IsInf(float64(top), -1) {
		return softmaxNothing(dst, x)
	}
	sum := expTo(s, dst, x, top)
	scale(s, T(1/sum), dst)
	return float64(top) + math.Log(sum)
}

func largest[T real](s *kernels[T], x []T) T {
	top := T(math.Inf(-1))
	for lo := 0; lo < len(x); lo += block {
		top = max(top, s.max(x[lo:min(lo+block, len(x))]))
	}
	return top
}

// softmaxNothing is the case where every element is -Inf or NaN.
func softmaxNothing[T real](dst, x []T) float64 {
	lse := math.Inf(-1)
	for i, a := range x {
		if a != a {
			lse = float64(a)
		}
		dst[i] = 0
	}
	if lse != lse {
		for i := range x {
			dst[i] = T(lse)
		}
	}
	return lse
}
