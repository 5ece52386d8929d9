package kernel

import "math"

func entropyPlain[T Real](x []T, scale T) (sum, entropy float64) {
	for _, a := range x {
		if p := float64(scale * a); p > 0 {
			sum += p
			entropy += p * math.Log(max(p, 0x1p-1022))
		}
	}
	return sum, entropy
}

func logToPlain[T Real](dst, x []T) {
	dst = dst[:len(x)]
	for i, a := range x {
		dst[i] = T(math.Log(float64(a)))
	}
}
