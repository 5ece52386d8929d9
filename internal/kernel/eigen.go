// Products that eigenvalues need: rotations of rows, and the rank-two updates of a tridiagonal form.

package kernel

// Rotate turns neighbouring rows of z: with x = z_i and y = z_{i+1}, for i from the last to the first,
//
//	z_i ← c_i x - s_i y,   z_{i+1} ← s_i x + c_i y.
//
// z[(len(c)+1)×k], s[len(c)]. 6 flops an element and rotation; 8 bytes read and 8 written, as one of the two rows stays in
// registers; 0.75 of what caches deliver for k = 64, 0.3 for 512.
func Rotate(z []float64, k int, c, s []float64) {
	needStride(k)
	need("z", len(z), (len(c)+1)*k)
	need("s", len(s), len(c))
	active.rotate(z[:(len(c)+1)*k], k, c, s)
}

// RankTwo takes rows of a symmetric matrix from one Householder reflection to the next: for every i
//
//	a_i ← a_i - vr_i w - wr_i v,   p_i = ⟨a_i, x⟩.
//
// p[·] overwritten, a[len(p)×len(x)] with rows lda apart; v, w, x of one length, a multiple of 8; vr[len(p)], wr[len(p)]. 6 flops
// an element of a; 8 bytes read and 8 written; 0.75 to 0.8 of what caches deliver.
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
