package kernel

// SpmmRow multiplies one row of a sparse matrix and its transpose with blocks of vectors:
// gu += Σ_e r[e] v_j and gv_j += r[e] u.
//
// u[k], v[·×k], r[len(cols)]; gu[k] and gv[·×k] added to.
// 4k flops an entry; 8k bytes of v and of gv read, 8k written; 14 to 15 GF/s, 84 to 92 GB/s, 0.8 to 0.9 of the limit.
func SpmmRow(gu, gv, u, v []float64, k int, cols []int32, r []float64) {
	needStride(k)
	need("gu", len(gu), k)
	need("gv", len(gv), len(v))
	need("u", len(u), k)
	need("r", len(r), len(cols))
	done := active64.spmmRow(gu[:k], gv[:len(v)], u[:k], v, k, cols, r[:len(cols)])
	needDone(done, cols, len(v)/k)
}

// GatherRow is the first half of SpmmRow, gu += Σ_e r[e] v_j.
//
// v[·×k], r[len(cols)]; gu[k] added to.
// 2k flops and 8k bytes of v an entry; 15 to 19 GF/s, 60 to 77 GB/s, 0.6 to 0.8 of the limit.
func GatherRow(gu, v []float64, k int, cols []int32, r []float64) {
	needStride(k)
	need("gu", len(gu), k)
	need("r", len(r), len(cols))
	needDone(active64.gatherRow(gu[:k], v, k, cols, r[:len(cols)]), cols, len(v)/k)
}

// ScatterRow is the second half of SpmmRow, gv_j += r[e] u.
//
// u[k], r[len(cols)]; gv[·×k] added to.
// 2k flops an entry; 8k bytes of gv read, 8k written; 12 to 14 GF/s, 99 to 115 GB/s, reads and writes together: the limit.
func ScatterRow(gv, u []float64, k int, cols []int32, r []float64) {
	needStride(k)
	need("u", len(u), k)
	need("r", len(r), len(cols))
	needDone(active64.scatterRow(gv, u[:k], k, cols, r[:len(cols)]), cols, len(gv)/k)
}
