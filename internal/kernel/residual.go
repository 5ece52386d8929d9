package kernel

// DotRow computes the predictions of one row, z[e] = Σ_c u[c]·v[cols[e]*k+c].
//
// u[k], v[·×k], z[len(cols)] overwritten.
// 2k flops and 8k bytes of v an entry; 17 to 19 GF/s, 68 to 76 GB/s, 0.7 of the cache's limit.
func DotRow(z, u, v []float64, k int, cols []int32) {
	n := len(cols)
	needStride(k)
	need("z", len(z), n)
	need("u", len(u), k)
	needDone(active64.dotRow(z[:n], u[:k], v, k, cols), cols, len(v)/k)
}

// ResidualRow computes r[e] = x[e] - u·v_j and returns Σ_e r[e]².
//
// u[k], v[·×k], x[len(cols)], r[len(cols)] overwritten; r may be x.
// 2k flops and 8k bytes of v an entry; 15 to 17 GF/s, 59 to 70 GB/s, 0.6 to 0.7 of the cache's limit.
func ResidualRow(r, u, v []float64, k int, cols []int32, x []float64) float64 {
	n := len(cols)
	needStride(k)
	need("r", len(r), n)
	need("u", len(u), k)
	need("x", len(x), n)
	loss, done := active64.residualRow(r[:n], u[:k], v, k, cols, x[:n])
	needDone(done, cols, len(v)/k)
	return loss
}

// GradientRow is PassRow without the other side: r[e] = x[e] - u·v_j, gu += Σ_e r[e] v_j; it returns Σ_e r[e]².
//
// u[k], v[·×k], x[len(cols)]; r[len(cols)] overwritten (r may be x), gu[k] added to.
// 4k flops and 8k bytes of v an entry; with k = 64 in float32 a sixth slower than [CoreRow], which stores nothing an entry, and more below.
func GradientRow(r, u, gu, v []float64, k int, cols []int32, x []float64) float64 {
	n := len(cols)
	needStride(k)
	need("r", len(r), n)
	need("u", len(u), k)
	need("gu", len(gu), k)
	need("x", len(x), n)
	loss, done := active64.gradientRow(r[:n], u[:k], gu[:k], v, k, cols, x[:n])
	needDone(done, cols, len(v)/k)
	return loss
}

// PassRow is the all-in-one pass: r[e] = x[e] - u·v_j, gu += Σ_e r[e] v_j, gv_j += r[e] u; it returns Σ_e r[e]².
// With r = x - z, gu and gv receive minus the gradients of ½ Σ r².
//
// u[k], v[·×k], x[len(cols)]; r[len(cols)] overwritten (r may be x), gu[k] and gv[·×k] added to.
// 6k flops an entry; 8k bytes of v and 8k of gv read, 8k written; 14 to 18 GF/s, 55 to 72 GB/s, 0.6 to 0.7 of the limit.
func PassRow(r, u, gu, v, gv []float64, k int, cols []int32, x []float64) float64 {
	n := len(cols)
	needStride(k)
	need("r", len(r), n)
	need("u", len(u), k)
	need("gu", len(gu), k)
	need("gv", len(gv), len(v))
	need("x", len(x), n)
	loss, done := active64.passRow(r[:n], u[:k], gu[:k], v, gv[:len(v)], k, cols, x[:n])
	needDone(done, cols, len(v)/k)
	return loss
}
