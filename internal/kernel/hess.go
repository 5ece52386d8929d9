package kernel

// HessRows are rows of the Hessian of ½ Σ (x - u_i·v_j)² at (u, v) times (du, dv). With e = du_i·v_j + u_i·dv_j and r[e] = x[e] -
// u_i·v_j it computes gu_i += e v_j - r dv_j and gv_j += e u_i - r du_i.
//
// u, du, v, dv [·×k]; r[e]; gu[·×k] and gv[·×k] added to. 12k flops an entry; 8k bytes each of v, dv and gv read, 8k written; 21
// to 29 GF/s, 0.45 to 0.6 of what caches deliver.
func HessRows[T Real](gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	need("du", len(du), (len(ptr)-1)*k)
	need("dv", len(dv), len(v))
	need("r", len(r), n)
	for len(ptr) > 1 {
		rows := cut(ptr)
		done := in[T]().hessRows(gu, gv[:len(v)], u, du, v, dv[:len(v)], k, ptr[:rows+1], cols[:n], r[:n])
		needDoneRows(done, ptr[:rows+1], cols, len(v)/k)
		ptr, u, du, gu = ptr[rows:], u[rows*k:], du[rows*k:], gu[rows*k:]
	}
}

// CoreRows are rows of the core product M ↦ Pᵀ·(sampled P M Qᵀ)·Q before its left factor: with pu_i = p_i M,
// e = pu_i·q_j and gu_i += e q_j.
//
// pu[·×k], q[·×k]; gu[·×k] added to.
// 4k flops and 8k bytes of q an entry; 25 to 28 GF/s, 0.4 to 0.55 of the peak.
func CoreRows[T Real](gu, pu, q []T, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("gu", len(gu), (len(ptr)-1)*k)
	need("pu", len(pu), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(in[T]().coreRows(gu, pu, q, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(q)/k)
		ptr, pu, gu = ptr[rows:], pu[rows*k:], gu[rows*k:]
	}
}

// ColumnRows is the other side of CoreRows, the normal operator of v for a fixed u: with e = u_i·v_j, gv_j += e u_i.
//
// u[·×k], v[·×k]; gv[·×k] added to.
// 4k flops an entry; 8k bytes each of v and gv read, 8k written; 16 to 19 GF/s, 0.65 to 0.75 of what caches deliver.
func ColumnRows[T Real](gv, u, v []T, k int, ptr []int64, cols []int32) {
	n := needRows(k, ptr, cols)
	need("gv", len(gv), len(v))
	need("u", len(u), (len(ptr)-1)*k)
	for len(ptr) > 1 {
		rows := cut(ptr)
		needDoneRows(in[T]().columnRows(gv[:len(v)], u, v, k, ptr[:rows+1], cols[:n]), ptr[:rows+1], cols, len(v)/k)
		ptr, u = ptr[rows:], u[rows*k:]
	}
}
