package kernel

import "math"

func dotPlain[T Real](x, y []T) float64 {
	var s0, s1, s2, s3 float64
	for len(x) >= 4 && len(y) >= 4 {
		s0 += float64(x[0]) * float64(y[0])
		s1 += float64(x[1]) * float64(y[1])
		s2 += float64(x[2]) * float64(y[2])
		s3 += float64(x[3]) * float64(y[3])
		x, y = x[4:], y[4:]
	}
	y = y[:len(x)]
	for i := range x {
		s0 += float64(x[i]) * float64(y[i])
	}
	return (s0 + s1) + (s2 + s3)
}

func axpyPlain[T Real](a T, x, y []T) {
	add(y, a, x)
	for i := len(x) &^ 3; i < len(x); i++ {
		y[i] += a * x[i]
	}
}

func axpyFourPlain[T Real](a0, a1, a2, a3 T, x0, x1, x2, x3, y []T) {
	x0, x1, x2, x3 = x0[:len(y)], x1[:len(y)], x2[:len(y)], x3[:len(y)]
	for i := range y {
		y[i] += a0*x0[i] + a1*x1[i] + a2*x2[i] + a3*x3[i]
	}
}

func scalePlain[T Real](a T, x []T) {
	for i := range x {
		x[i] *= a
	}
}

func hadamardPlain[T Real](z, x, y []T) {
	z, y = z[:len(x)], y[:len(x)]
	for i, a := range x {
		z[i] = a * y[i]
	}
}

func clampPlain(a float64, x []float64) {
	for i, v := range x {
		x[i] = max(-a, min(a, v))
	}
}

func apartPlain(x, y []float64) float64 {
	var s0, s1 float64 // which do not wait for each other
	for len(x) >= 2 && len(y) >= 2 {
		s0 += math.Abs(x[0] - y[0])
		s1 += math.Abs(x[1] - y[1])
		x, y = x[2:], y[2:]
	}
	if len(x) > 0 {
		s0 += math.Abs(x[0] - y[0])
	}
	return s0 + s1
}

func convertPlain[P, T Real](y []P, x []T) {
	y = y[:len(x)]
	for i, a := range x {
		y[i] = P(a)
	}
}

func maxPlain[T Real](x []T) T {
	top := T(math.Inf(-1))
	for _, a := range x {
		if a > top {
			top = a
		}
	}
	return top
}

// expToPlain computes dst[i] = exp(x[i] - shift) and returns the sum.
func expToPlain[T Real](dst, x []T, shift T) (sum float64) {
	dst = dst[:len(x)]
	for i, a := range x {
		y := exp(float64(a) - float64(shift))
		dst[i] = T(y)
		sum += y
	}
	return sum
}

// exp mends math.Exp, whose assembly for amd64 overflows a little too early.
func exp(x float64) float64 {
	if x > 709 {
		return math.Exp(x-1) * math.E
	}
	return math.Exp(x)
}
