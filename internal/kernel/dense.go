package kernel

// Dot is Σ aᵢbᵢ.
func Dot(a, b []float64) float64 {
	var s0, s1, s2, s3 float64
	b = b[:len(a)]
	for len(a) >= 4 && len(b) >= 4 {
		s0 += a[0] * b[0]
		s1 += a[1] * b[1]
		s2 += a[2] * b[2]
		s3 += a[3] * b[3]
		a, b = a[4:], b[4:]
	}
	for i, x := range a {
		s0 += x * b[i]
	}
	return (s0 + s1) + (s2 + s3)
}

// Axpy adds y += a x.
func Axpy(a float64, x, y []float64) {
	y = y[:len(x)]
	for len(x) >= 4 && len(y) >= 4 {
		y[0] += a * x[0]
		y[1] += a * x[1]
		y[2] += a * x[2]
		y[3] += a * x[3]
		x, y = x[4:], y[4:]
	}
	for i, xi := range x {
		y[i] += a * xi
	}
}

// Scale multiplies x by a.
func Scale(a float64, x []float64) {
	for i := range x {
		x[i] *= a
	}
}

// GemmNN adds C (m×n) += A (m×k) B (k×n), row-major and contiguous. 2mnk flops.
func GemmNN(c, a, b []float64, m, n, k int) {
	for i := range m {
		ci := c[i*n : i*n+n]
		for t, x := range a[i*k : i*k+k] {
			if x != 0 {
				Axpy(x, b[t*n:t*n+n], ci)
			}
		}
	}
}

// GemmTN adds C (m×n) += Aᵀ B, A is k×m and B is k×n, row-major and contiguous. 2mnk flops.
func GemmTN(c, a, b []float64, m, n, k int) {
	for t := range k {
		bt := b[t*n : t*n+n]
		for i, x := range a[t*m : t*m+m] {
			if x != 0 {
				Axpy(x, bt, c[i*n:i*n+n])
			}
		}
	}
}
