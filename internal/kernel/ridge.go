package kernel

// RidgeBlock is how many entries of a row lie side by side for [RidgeRow], and RidgeWork how many vectors of k it works with.
const (
	RidgeBlock = 16
	RidgeWork  = 4 + RidgeBlock
)

// RidgeEntries is n rounded up to whole blocks.
func RidgeEntries(n int) int { return (n + RidgeBlock - 1) &^ (RidgeBlock - 1) }

// PackRow gathers the rows of v that one data row meets, v_j for each of cols, and transposes them in blocks of RidgeBlock entries: element c of entry
// RidgeBlock·b + l is p[(b·dims + c)·RidgeBlock + l], c < dims. So one product with a vector is for all entries of a block, and the rows lie in the nearest
// cache. The last block is filled up with zeros.
//
// v[·×k], none[k] zeros, dims ≤ k a multiple of 4, p[len(cols)×dims], len(cols) rounded up to a multiple of RidgeBlock, overwritten. 8dims bytes of v
// read and of p written an entry: in float32, on a Cascade Lake core, 3, 5 and 10 ns with k = 16, 32 and 64.
func PackRow(p, v, none []float64, k, dims int, cols []int32) {
	needStride(k)
	needDims(dims, k)
	need("p", len(p), RidgeEntries(len(cols))*dims)
	need("none", len(none), k)
	needDone(active64.packRow(p, v, none, k, dims, cols), cols, len(v)/k)
}

// RidgeRow lowers ½‖x - P u‖² + ridge/2 ‖u‖² over u by at most steps conjugate gradient steps from where u is, with the
// preconditioner diag(ridge + entries·mean). It ends before when gᵀM⁻¹g is no more than part of what it was at the start, g
// the gradient. It returns ‖x - P u‖² at the start, and what was gained.
//
// p[n×k] as PackRow leaves it, k a multiple of 4; x[n], n a multiple of RidgeBlock: entries of zeros and x = 0 change nothing. With k rounded up to a
// multiple of 8, u[k] overwritten, mean[k] ≥ 0, both zero beyond the first k; work[RidgeWork·k] overwritten; ridge > 0. 4k flops and 8k bytes of p an
// entry, once and for each step, of the last of which half. Best where p, x and work begin at multiples of 64 bytes. In float32 with AVX-512, on a Cascade Lake core, two steps on
// rows of 120 entries take 4, 6 and 12 ns an entry at k = 16, 32 and 64, a third of the peak of multiply-adds; sums across lanes, an entry at a
// time, took 12, 18 and 35.
func RidgeRow(u, p, x, mean, work []float64, k int, entries, ridge, part float64, steps int) (square, gain float64) {
	padded := (k + 7) &^ 7
	needDims(k, padded)
	needBlocks(len(x))
	need("u", len(u), padded)
	need("p", len(p), len(x)*k)
	need("mean", len(mean), padded)
	need("work", len(work), RidgeWork*padded)
	return active64.ridgeRow(u[:padded], p, x, mean, work, k, entries, ridge, part, steps)
}
