package kernel

// PackRow copies the rows of v that one data row meets to one after another: p_e = v_j, which then lie in the nearest cache.
//
// v[·×k], p[len(cols)×k] overwritten. 8k bytes of v read and of p written an entry.
func PackRow(p, v []float64, k int, cols []int32) {
	needStride(k)
	need("p", len(p), len(cols)*k)
	needDone(active64.packRow(p, v, k, cols), cols, len(v)/k)
}

// RidgeRow lowers ½‖x - P u‖² + ridge/2 ‖u‖² over u by at most steps conjugate gradient steps from where u is, with the
// preconditioner diag(ridge + entries·mean). It ends before when gᵀM⁻¹g is no more than part of what it was at the start, g
// the gradient. It returns ‖x - P u‖² at the start, and what was gained.
//
// u[k] overwritten, p[n×k], x[n], n a multiple of 8: more rows of zeros and x = 0 change nothing; mean[k] ≥ 0; work[4k]
// overwritten; ridge > 0. 4k flops and 8k bytes of p an entry, once and for each step.
func RidgeRow(u, p, x, mean, work []float64, k int, entries, ridge, part float64, steps int) (square, gain float64) {
	needStride(k)
	needEights(len(x))
	need("u", len(u), k)
	need("p", len(p), len(x)*k)
	need("mean", len(mean), k)
	need("work", len(work), 4*k)
	return active64.ridgeRow(u[:k], p, x, mean, work, k, entries, ridge, part, steps)
}
