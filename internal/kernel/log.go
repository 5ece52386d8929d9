package kernel

// PositiveEntropy computes Σ p and Σ p log p over the p = scale·x[i] that are positive, the logarithms within 2 units in the last
// place. Where p is below the least normal number, 2⁻¹⁰²², the logarithm is that one's; NaN counts as nothing. 8 bytes and 29
// flops an element, 0.75 to 0.95 ns, 0.5 to 0.7 of the peak; plain Go 9 ns.
func PositiveEntropy(x []float64, scale float64) (sum, entropy float64) {
	for len(x) > block {
		s, e := active.entropy(x[:block], scale)
		sum, entropy, x = sum+s, entropy+e, x[block:]
	}
	s, e := active.entropy(x, scale)
	return sum + s, entropy + e
}

// LogTo computes dst[i] = log(x[i]) over the elements of x, within 2 units in the last place, for numbers that are not below the
// least normal one, 2⁻¹⁰²²; of +Inf it is log 2¹⁰²⁴. dst may be x. 16 bytes an element, 0.35 ns; package math 6 ns.
func LogTo(dst, x []float64) {
	need("dst", len(dst), len(x))
	for len(x) > block {
		active.logTo(dst[:block], x[:block])
		dst, x = dst[block:], x[block:]
	}
	active.logTo(dst[:len(x)], x)
}
