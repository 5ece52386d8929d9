package gauge

// Of is the trace norm Σσᵢ(W) of a dense row-major m×n matrix, by its singular value decomposition.
func (Trace) Of(w []float64, m, n int) float64 { return SchattenP{P: 1}.Of(w, m, n) }

// ProxTo is singular value thresholding: W = U diag(s) Vᵀ becomes U diag(max(s - t, 0)) Vᵀ [Cai, Candès, Shen 2010], in dst,
// which may be w. It decomposes a dense W whole, and returns κ(dst).
func (Trace) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return SchattenP{P: 1}.ProxTo(dst, w, m, n, t)
}

// ProxAlong is (dst, t) ↦ ProxTo(dst, w, m, n, t), with one decomposition of W for all t.
func (Trace) ProxAlong(w []float64, m, n int) func(dst []float64, t float64) float64 {
	return SchattenP{P: 1}.ProxAlong(w, m, n)
}
