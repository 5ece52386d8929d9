package kernel

// tilePlain adds a product to a 4×4 tile of c, two rows at a time so that the sums stay in registers.
func tilePlain[T Real](c []T, ldc int, a []T, rs, cs int, b []T, ldb, depth int) {
	for i := 0; i < 4; i += 2 {
		var s00, s01, s02, s03, s10, s11, s12, s13 T
		at0, at1 := i*rs, (i+1)*rs
		for p := 0; p < depth; p++ {
			x, y, w := a[at0+p*cs], a[at1+p*cs], b[p*ldb:p*ldb+4]
			s00 += x * w[0]
			s01 += x * w[1]
			s02 += x * w[2]
			s03 += x * w[3]
			s10 += y * w[0]
			s11 += y * w[1]
			s12 += y * w[2]
			s13 += y * w[3]
		}
		plus4(c[i*ldc:i*ldc+4], s00, s01, s02, s03)
		plus4(c[(i+1)*ldc:(i+1)*ldc+4], s10, s11, s12, s13)
	}
}

func plus4[T Real](c []T, s0, s1, s2, s3 T) {
	_ = c[3]
	c[0] += s0
	c[1] += s1
	c[2] += s2
	c[3] += s3
}
