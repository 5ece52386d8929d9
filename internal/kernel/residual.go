package kernel

// DotRows computes the predictions of rows, z[e] = u_i·v_j.
//
// u[·×k], v[·×k]; z[e] overwritten.
// 2k flops and 8k bytes of v an entry; 20 to 22 GF/s, 0.7 to 0.85 of what caches deliver.
func DotRows[T Real](z, u, v []T, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("z", len(z), n)
	need("u", len(u), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(in[T]().dotRows(z[:n], u, v, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}

// ResidualRows computes r[e] = x[e] - u_i·v_j and returns Σ_e r[e]².
//
// u[·×k], v[·×k], x[e]; r[e] overwritten; r may be x.
// 2k flops and 8k bytes of v an entry; 19 to 21 GF/s, 0.6 to 0.8 of what caches deliver.
func ResidualRows[T Real](r, u, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64) {
	n := needRows(k, ptr, cols)
	need("r", len(r), n)
	need("u", len(u), (len(ptr)-1)*k)
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		part, done := in[T]().residualRows(r[:n], u, v, k, ptr[:rows+1], cols[:n], x[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		loss += part
		ptr, u = ptr[rows:], u[rows*k:]
	}
	return loss
}

// GradientRows computes r[e] = x[e] - u_i·v_j and gu_i += Σ_e r[e] v_j, and returns Σ_e r[e]². gu receives minus the gradient of
// ½ Σ r² in u.
//
// u[·×k], v[·×k], x[e]; r[e] overwritten (r may be x), gu[·×k] added to.
// 4k flops and 8k bytes of v an entry; 23 to 27 GF/s, 0.4 to 0.55 of the peak.
func GradientRows[T Real](r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64) {
	n := needRows(k, ptr, cols)
	need("r", len(r), n)
	need("u", len(u), (len(ptr)-1)*k)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		part, done := in[T]().gradientRows(r[:n], u, gu, v, k, ptr[:rows+1], cols[:n], x[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		loss += part
		ptr, u, gu = ptr[rows:], u[rows*k:], gu[rows*k:]
	}
	return loss
}
