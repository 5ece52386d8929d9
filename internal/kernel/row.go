package kernel

// DotRow writes z[e] = u · v_j, j = cols[e]. 2k flops and 8k+4 bytes for every entry.
func DotRow(z, u, v []float64, k int, cols []int32) {
	check(k, u)
	for e, j := range cols {
		z[e] = Dot(u, row(v, j, k))
	}
}

// ResidualRow writes r[e] = x[e] - u·v_j and returns Σ r². 2k flops and 8k+20 bytes for every entry.
func ResidualRow(r, u, v []float64, k int, cols []int32, x []float64) float64 {
	check(k, u)
	var sum float64
	for e, j := range cols {
		d := x[e] - Dot(u, row(v, j, k))
		r[e] = d
		sum += d * d
	}
	return sum
}

// HessRow adds, with x_e = du·v_j + u·dv_j, gu += Σ x_e v_j - r_e dv_j and gv_j += x_e u - r_e du: the second derivative
// of ½Σ(y - u·v)². 12k flops and 32k+12 bytes for every entry.
func HessRow(gu, gv, u, du, v, dv []float64, k int, cols []int32, r []float64) {
	check(k, u)
	u, du, gu = u[:k], du[:k], gu[:k]
	for e, j := range cols {
		vj, dj, gj, re := row(v, j, k), row(dv, j, k), row(gv, j, k), r[e]
		x := Dot(du, vj) + Dot(u, dj)
		for c, vc := range vj {
			gu[c] += x*vc - re*dj[c]
			gj[c] += x*u[c] - re*du[c]
		}
	}
}

// SpmmRow adds gu += Σ r_e v_j and gv_j += r_e u. 4k flops and 24k+12 bytes for every entry.
func SpmmRow(gu, gv, u, v []float64, k int, cols []int32, r []float64) {
	check(k, u)
	for e, j := range cols {
		Axpy(r[e], row(v, j, k), gu)
		Axpy(r[e], u, row(gv, j, k))
	}
}

// GatherRow adds gu += Σ r_e v_j. 2k flops and 8k+12 bytes for every entry.
func GatherRow(gu, v []float64, k int, cols []int32, r []float64) {
	check(k, gu)
	for e, j := range cols {
		Axpy(r[e], row(v, j, k), gu)
	}
}

// ScatterRow adds gv_j += r_e u. 2k flops and 16k+12 bytes for every entry.
func ScatterRow(gv, u []float64, k int, cols []int32, r []float64) {
	check(k, u)
	for e, j := range cols {
		Axpy(r[e], u, row(gv, j, k))
	}
}

// DotSparse is Σ x_j vals_e. 2 flops and 12 bytes for every entry, besides the gather from x.
func DotSparse(x []float64, cols []int32, vals []float64) float64 {
	var s0, s1 float64
	vals = vals[:len(cols)]
	e := 0
	for ; e+2 <= len(cols); e += 2 {
		s0 += x[cols[e]] * vals[e]
		s1 += x[cols[e+1]] * vals[e+1]
	}
	if e < len(cols) {
		s0 += x[cols[e]] * vals[e]
	}
	return s0 + s1
}

// AxpySparse adds y_j += a·vals_e.
func AxpySparse(y []float64, a float64, cols []int32, vals []float64) {
	vals = vals[:len(cols)]
	for e, j := range cols {
		y[j] += a * vals[e]
	}
}

func row(v []float64, j int32, k int) []float64 { return v[int(j)*k : int(j)*k+k : int(j)*k+k] }

// check panics where a stride would make the loops read past their rows.
func check(k int, u []float64) {
	if k%8 != 0 || len(u) < k {
		panic("kernel: a row has fewer entries than its stride, or the stride is not a multiple of 8")
	}
}
