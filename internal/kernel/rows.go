package kernel

// Several rows in one call, for rows, or pieces of rows in a block of columns, of few entries each, where the calls would
// take as long as the work. Row i of u, du and gu has the entries ptr[i] ≤ e < ptr[i+1] of cols, z, r and x; ptr does not
// descend. The result is that of the row kernels, but for the rounding of the loss. Long calls are cut at rows.
//
// Blocks of columns keep v and gv in cache: 9.3 million entries in 71,567 rows and 65,133 columns take PassRow 12, 32 and
// 64 ns an entry at k = 16, 32 and 64, and PassRows over blocks of 4096 columns 11, 22 and 37 (BenchmarkBlocked64, as above).

// entriesPerCall bounds the entries of one assembly call.
const entriesPerCall = 1 << 14

// DotRows is [DotRow] for rows 0 ≤ i < len(ptr)-1: z[e] = u_i·v_j.
func DotRows(z, u, v []float64, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("z", len(z), n)
	need("u", len(u), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active64.dotRows(z[:n], u, v, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}

// ResidualRows is [ResidualRow] for several rows: r[e] = x[e] - u_i·v_j; it returns Σ_e r[e]².
func ResidualRows(r, u, v []float64, k int, ptr []int64, cols []int32, x []float64) (loss float64) {
	n := needRows(k, ptr, cols)
	need("r", len(r), n)
	need("u", len(u), (len(ptr)-1)*k)
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		part, done := active64.residualRows(r[:n], u, v, k, ptr[:rows+1], cols[:n], x[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		loss += part
		ptr, u = ptr[rows:], u[rows*k:]
	}
	return loss
}

// GradientRows is [GradientRow] for several rows: r[e] = x[e] - u_i·v_j, gu_i += r[e] v_j; it returns Σ_e r[e]².
func GradientRows(r, u, gu, v []float64, k int, ptr []int64, cols []int32, x []float64) (loss float64) {
	n := needRows(k, ptr, cols)
	need("r", len(r), n)
	need("u", len(u), (len(ptr)-1)*k)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		part, done := active64.gradientRows(r[:n], u, gu, v, k, ptr[:rows+1], cols[:n], x[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		loss += part
		ptr, u, gu = ptr[rows:], u[rows*k:], gu[rows*k:]
	}
	return loss
}

// PassRows is [PassRow] for several rows: r[e] = x[e] - u_i·v_j, gu_i += r[e] v_j, gv_j += r[e] u_i; it returns Σ_e r[e]².
func PassRows(r, u, gu, v, gv []float64, k int, ptr []int64, cols []int32, x []float64) (loss float64) {
	n := needRows(k, ptr, cols)
	need("r", len(r), n)
	need("u", len(u), (len(ptr)-1)*k)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("gv", len(gv), len(v))
	need("x", len(x), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		part, done := active64.passRows(r[:n], u, gu, v, gv[:len(v)], k, ptr[:rows+1], cols[:n], x[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		loss += part
		ptr, u, gu = ptr[rows:], u[rows*k:], gu[rows*k:]
	}
	return loss
}

// HessRows is [HessRow] for several rows: with e = du_i·v_j + u_i·dv_j, gu_i += e v_j - r dv_j and gv_j += e u_i - r du_i.
func HessRows(gu, gv, u, du, v, dv []float64, k int, ptr []int64, cols []int32, r []float64) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	need("du", len(du), (len(ptr)-1)*k)
	need("dv", len(dv), len(v))
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		done := active64.hessRows(gu, gv[:len(v)], u, du, v, dv[:len(v)], k, ptr[:rows+1], cols[:n], r[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		ptr, u, du, gu = ptr[rows:], u[rows*k:], du[rows*k:], gu[rows*k:]
	}
}

// SpmmRows is [SpmmRow] for several rows: gu_i += r[e] v_j and gv_j += r[e] u_i.
func SpmmRows(gu, gv, u, v []float64, k int, ptr []int64, cols []int32, r []float64) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		done := active64.spmmRows(gu, gv[:len(v)], u, v, k, ptr[:rows+1], cols[:n], r[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		ptr, u, gu = ptr[rows:], u[rows*k:], gu[rows*k:]
	}
}

// CoreRows is [CoreRow] for several rows: with e = pu_i·q_j, gu_i += e q_j.
func CoreRows(gu, pu, q []float64, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("pu", len(pu), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active64.coreRows(gu, pu, q, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(q)/k)
		ptr, pu, gu = ptr[rows:], pu[rows*k:], gu[rows*k:]
	}
}

// ColumnRows is [ColumnRow] for several rows: with e = u_i·v_j, gv_j += e u_i.
func ColumnRows(gv, u, v []float64, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active64.columnRows(gv[:len(v)], u, v, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}

// GatherRows is [GatherRow] for several rows: gu_i += r[e] v_j.
func GatherRows(gu, v []float64, k int, ptr []int64, cols []int32, r []float64) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active64.gatherRows(gu, v, k, ptr[:rows+1], cols[:n], r[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, gu = ptr[rows:], gu[rows*k:]
	}
}

// ScatterRows is [ScatterRow] for several rows: gv_j += r[e] u_i.
func ScatterRows(gv, u []float64, k int, ptr []int64, cols []int32, r []float64) {
	n := needRows(k, ptr, cols)
	need("u", len(u), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(active64.scatterRows(gv, u, k, ptr[:rows+1], cols[:n], r[:n]), ptr[:rows+1], cols, len(gv)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}
