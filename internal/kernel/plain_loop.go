package kernel

// Loops over one row of length k, a multiple of 8. Slicing forward by a constant lets the compiler drop bounds checks.

// inner returns a·b.
func inner[T Real](a, b []T) T {
	var s0, s1, s2, s3 T
	for len(a) >= 8 && len(b) >= 8 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		s0 += a[4] * b[4]
		s1 += a[5] * b[5]
		s2 += a[6] * b[6]
		s3 += a[7] * b[7]
		a, b = a[8:], b[8:]
	}
	return (s0 + s1) + (s2 + s3)
}

// add computes y += a·x.
func add[T Real](y []T, a T, x []T) {
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		x, y = x[4:], y[4:]
	}
}

// addBoth computes y += a·x and z += a·w in one loop.
func addBoth[T Real](y, z []T, a T, x, w []T) {
	for len(x) >= 4 && len(y) >= 4 && len(z) >= 4 && len(w) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		z[0] += a * w[0]
		z[1] += a * w[1]
		z[2] += a * w[2]
		z[3] += a * w[3]
		x, y, z, w = x[4:], y[4:], z[4:], w[4:]
	}
}
