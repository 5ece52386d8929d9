package kernel

import "math"

func entropyPlain(x []float64, scale float64) (sum, entropy float64) {
	for _, a := range x {
		if p := scale * a; p > 0 {
			sum += p
			entropy += p * math.Log(max(p, 0x1p-1022))
		}
	}
	return sum, entropy
}

func logToPlain(dst, x []float64) {
	dst = dst[:len(x)]
	for i, a := range x {
		dst[i] = math.Log(a)
	}
}
