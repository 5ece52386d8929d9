package kernel

func rotatePlain(z []float64, k int, c, s []float64) {
	for i := len(c) - 1; i >= 0; i-- {
		cos, sin := c[i], s[i]
		x, y := z[i*k:(i+1)*k], z[(i+1)*k:(i+2)*k]
		y = y[:len(x)]
		for l, a := range x {
			b := y[l]
			x[l], y[l] = cos*a-sin*b, sin*a+cos*b
		}
	}
}

func rankTwoPlain(p, a []float64, lda int, v, w, x, vr, wr []float64) {
	n := len(x)
	v, w = v[:n], w[:n]
	for i := range p {
		row, vi, wi := a[i*lda:i*lda+n], vr[i], wr[i]
		var even, odd float64
		for l := 0; l+2 <= len(row) && l+2 <= len(v) && l+2 <= len(w) && l+2 <= len(x); l += 2 {
			s, t := row[l]-vi*w[l]-wi*v[l], row[l+1]-vi*w[l+1]-wi*v[l+1]
			row[l], row[l+1] = s, t
			even += s * x[l]
			odd += t * x[l+1]
		}
		p[i] = even + odd
	}
}
