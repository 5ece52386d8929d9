package kernel

// DotSparse returns Σ_e vals[e]·x[cols[e]]: one row of a sparse matrix times a vector, len(vals) = len(cols).
//
// Plain Go everywhere: it is bound by memory, 12 bytes an entry. A column outside x panics.
func DotSparse[T Real](x []T, cols []int32, vals []T) float64 {
	need("vals", len(vals), len(cols))
	var s0, s1, s2, s3 float64
	for len(cols) >= 4 && len(vals) >= 4 {
		s0 += float64(vals[0]) * float64(x[cols[0]])
		s1 += float64(vals[1]) * float64(x[cols[1]])
		s2 += float64(vals[2]) * float64(x[cols[2]])
		s3 += float64(vals[3]) * float64(x[cols[3]])
		cols, vals = cols[4:], vals[4:]
	}
	for e, j := range cols {
		s0 += float64(vals[e]) * float64(x[j])
	}
	return (s0 + s1) + (s2 + s3)
}

// AxpySparse computes y[cols[e]] += a·vals[e]: one row's part in a transposed product, len(vals) = len(cols).
func AxpySparse[T Real](y []T, a T, cols []int32, vals []T) {
	need("vals", len(vals), len(cols))
	vals = vals[:len(cols)]
	for e, j := range cols {
		y[j] += a * vals[e]
	}
}
