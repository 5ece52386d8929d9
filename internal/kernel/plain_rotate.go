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
