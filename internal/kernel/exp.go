package kernel

// ExpTo computes dst[i] = exp(x[i]) over the elements of x, within 2 units in the last place of the true value,
// subnormal results and overflow to +Inf included; exp(-Inf) = 0, exp(NaN) = NaN. dst may be x.
// 16 bytes and 33 flops an element, in float32 8 and 21; 0.8 ns, in float32 0.3, 0.6 to 0.7 of the peak for 4,096 elements and a
// tenth for 10; plain Go 8 ns.
func ExpTo[T Real](dst, x []T) { ExpShiftTo(dst, x, 0) }

// ExpShiftTo computes dst[i] = exp(x[i] - shift) like ExpTo, and returns their sum.
func ExpShiftTo[T Real](dst, x []T, shift T) (sum float64) {
	need("dst", len(dst), len(x))
	s := in[T]()
	for len(x) > block {
		sum += s.expTo(dst[:block], x[:block], shift)
		dst, x = dst[block:], x[block:]
	}
	return sum + s.expTo(dst[:len(x)], x, shift)
}
