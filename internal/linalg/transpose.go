package linalg

// TransposeTo overwrites dst with the transpose (n×m) of a matrix x (m×n), both row-major.
func TransposeTo(dst, x []float64, m, n int) {
	for i := range m {
		for j, v := range x[i*n : (i+1)*n] {
			dst[j*m+i] = v
		}
	}
}
