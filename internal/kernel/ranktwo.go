package kernel

// RankTwo takes rows of a symmetric matrix from one Householder reflection to the next: for every i
//
//	a_i ← a_i - vr_i w - wr_i v,   p_i = ⟨a_i, x⟩.
//
// p[·] overwritten, a[len(p)×len(x)] with rows lda apart; v, w, x of one length, a multiple of 8; vr[len(p)], wr[len(p)]. 6 flops an
// element of a; 8 bytes read and 8 written; 0.75 to 0.8 of what caches deliver.
func RankTwo(p, a []float64, lda int, v, w, x, vr, wr []float64) {
	n := len(x)
	needStride(n)
	need("v", len(v), n)
	need("w", len(w), n)
	need("vr", len(vr), len(p))
	need("wr", len(wr), len(p))
	if len(p) > 0 {
		need("a", len(a), (len(p)-1)*max(lda, n)+n)
		active.rankTwo(p, a, lda, v, w, x, vr, wr)
	}
}
