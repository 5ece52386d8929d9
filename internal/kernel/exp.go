package kernel

import "math"

// ExpTo computes dst[i] = exp(x[i]) over the elements of x, within 2 units in the last place of the true value,
// subnormal results and overflow to +Inf included; exp(-Inf) = 0, exp(NaN) = NaN. dst may be x.
func ExpTo(dst, x []float64) {
	need("dst", len(dst), len(x))
	expTo(active64, dst, x, 0)
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
	top := T(math.Inf(-1))
	for _, a := range x {
		top = max(top, a)
	}
	if math.IsInf(float64(top), -1) {
		clear(dst)
		return math.Inf(-1)
	}
	sum := expTo(s, dst, x, top)
	scale(s, T(1/sum), dst)
	return float64(top) + math.Log(sum)
}
