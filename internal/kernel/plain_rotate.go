package kernel

func rotatePlain[T real](z []T, k int, c, s []T) {
	for i := len(c) - 1; i >= 0; i-- {
		x, y := z[i*k:(i+1)*k], z[(i+1)*k:(i+2)*k]
		for l, a := range x {
			x[l], y[l] = c[i]*a-s[i]*y[l], s[i]*a+c[i]*y[l]
		}
	}
}
