package kernel

// SpmmRows multiplies rows of a sparse matrix and its transpose with blocks of vectors: gu_i += Σ_e r[e] v_j and gv_j += r[e]
// u_i.
//
// u[·×k], v[·×k], r[e]; gu[·×k] and gv[·×k] added to.
// 4k flops an entry; 8k bytes of v and of gv read, 8k written; 13 to 19 GF/s, 0.5 to 0.75 of what caches deliver.
func SpmmRows[T Real](gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		done := in[T]().spmmRows(gu, gv[:len(v)], u, v, k, ptr[:rows+1], cols[:n], r[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		ptr, u, gu = ptr[rows:], u[rows*k:], gu[rows*k:]
	}
}

// GatherRows is the first half of SpmmRows, gu_i += Σ_e r[e] v_j.
//
// v[·×k], r[e]; gu[·×k] added to.
// 2k flops and 8k bytes of v an entry; 18 to 22 GF/s, 0.6 to 0.85 of what caches deliver.
func GatherRows[T Real](gu, v []T, k int, ptr []int64, cols []int32, r []T) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(in[T]().gatherRows(gu, v, k, ptr[:rows+1], cols[:n], r[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, gu = ptr[rows:], gu[rows*k:]
	}
}

// ScatterRows is the second half of SpmmRows, gv_j += r[e] u_i.
//
// u[·×k], r[e]; gv[·×k] added to.
// 2k flops an entry; 8k bytes of gv read, 8k written; 14 to 16 GF/s, 0.5 to 0.7 of what caches deliver.
func ScatterRows[T Real](gv, u []T, k int, ptr []int64, cols []int32, r []T) {
	n := needRows(k, ptr, cols)
	need("u", len(u), (len(ptr)-1)*k)
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(in[T]().scatterRows(gv, u, k, ptr[:rows+1], cols[:n], r[:n]), ptr[:rows+1], cols, len(gv)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}
