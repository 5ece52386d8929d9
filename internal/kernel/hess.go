package kernel

// HessRow is one row of the Hessian of ½ Σ (x - u·v_j)² at (u, v) times (du, dv): with e = du·v_j + u·dv_j,
// gu += e v_j - r dv_j and gv_j += e u - r du, where r[e] = x[e] - u·v_j.
//
// u, du [k]; v, dv [·×k]; r[len(cols)]; gu[k] and gv[·×k] added to.
// 12k flops an entry; 8k bytes each of v, dv and gv read, 8k written; 18 to 23 GF/s, 48 to 61 GB/s, 0.5 to 0.6 of the limit.
func HessRow(gu, gv, u, du, v, dv []float64, k int, cols []int32, r []float64) {
	needStride(k)
	need("gu", len(gu), k)
	need("gv", len(gv), len(v))
	need("u", len(u), k)
	need("du", len(du), k)
	need("dv", len(dv), len(v))
	need("r", len(r), len(cols))
	done := active64.hessRow(gu[:k], gv[:len(v)], u[:k], du[:k], v, dv[:len(v)], k, cols, r[:len(cols)])
	needDone(done, cols, len(v)/k)
}

// CoreRow is one row of the core product M ↦ Pᵀ·(sampled P M Qᵀ)·Q before its left factor: with pu = p M,
// e = pu·q_j and gu += e q_j.
//
// pu[k], q[·×k]; gu[k] added to.
// 4k flops and 8k bytes of q an entry; 21 to 25 GF/s, 42 to 51 GB/s, 0.3 of the peak.
func CoreRow(gu, pu, q []float64, k int, cols []int32) {
	needStride(k)
	need("gu", len(gu), k)
	need("pu", len(pu), k)
	needDone(active64.coreRow(gu[:k], pu[:k], q, k, cols), cols, len(q)/k)
}

// ColumnRow is the other side of CoreRow, the normal operator of v for a fixed u: with e = u·v_j, gv_j += e u.
//
// u[k], v[·×k]; gv[·×k] added to.
// 4k flops an entry; 8k bytes each of v and gv read, 8k written.
func ColumnRow(gv, u, v []float64, k int, cols []int32) {
	needStride(k)
	need("gv", len(gv), len(v))
	need("u", len(u), k)
	needDone(active64.columnRow(gv[:len(v)], u[:k], v, k, cols), cols, len(v)/k)
}
