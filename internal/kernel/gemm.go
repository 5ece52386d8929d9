package kernel

// Products of matrices, in float64 or float32: figures are those of float64.

// GemmNN computes C += A·B for row-major contiguous C[m×n], A[m×k], B[k×n] of any sizes.
// 2mnk flops; square 54 GF/s, 0.9 of the peak; tall 44 GF/s for n = k = 16, 34 for 64, 48 for 200, 0.6 to 0.8 of the peak.
func GemmNN[T Real](c, a, b []T, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[T]{in[T](), c, a, b, m, n, k, k, 1, n, 1}).run(false)
}

// GemmTN computes C += Aᵀ·B for row-major contiguous C[m×n], A[k×m], B[k×n] of any sizes.
// 2mnk flops; 51 GF/s for square matrices, 36 to 55 for tall A and B, 0.6 to 0.95 of the peak.
func GemmTN[T Real](c, a, b []T, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[T]{in[T](), c, a, b, m, n, k, 1, m, n, 1}).run(false)
}

// GemmNT computes C += A·Bᵀ for row-major contiguous C[m×n], A[m×k], B[n×k] of any sizes.
// 2mnk flops, as fast as GemmNN.
func GemmNT[T Real](c, a, b []T, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[T]{in[T](), c, a, b, m, n, k, k, 1, 1, k}).run(false)
}

// Gram computes G += AᵀA for row-major contiguous A[rows×k] and G[k×k], for any k: the lower triangle with its diagonal is added
// to; what lies above the diagonal is left unspecified, until Mirror. rows·k² flops; 28 to 51 GF/s, 0.5 to 0.85 of the peak.
func Gram[T Real](g, a []T, rows, k int) {
	need("g", len(g), k*k)
	need("a", len(a), rows*k)
	(&product[T]{in[T](), g, a, a, k, k, rows, 1, k, k, 1}).run(true)
}

// GramNT computes G += A·Aᵀ for row-major contiguous A[k×cols] and G[k×k], for any k, as Gram does AᵀA. k²·cols flops, at the
// speed of GemmNT.
func GramNT[T Real](g, a []T, k, cols int) {
	need("g", len(g), k*k)
	need("a", len(a), k*cols)
	(&product[T]{in[T](), g, a, a, k, k, cols, cols, 1, 1, cols}).run(true)
}

func needGemm(lenC, lenA, lenB, m, n, k int) {
	if m < 0 || n < 0 || k < 0 {
		panic("kernel: negative dimension")
	}
	need("c", lenC, m*n)
	need("a", lenA, m*k)
	need("b", lenB, n*k)
}

// Mirror copies the lower triangle of G[k×k] to the upper one, in squares that stay in a first-level cache.
func Mirror[T Real](g []T, k int) {
	need("g", len(g), k*k)
	const side = 16
	for top := 0; top < k; top += side {
		for left := 0; left <= top; left += side {
			for i := top; i < min(top+side, k); i++ {
				for j := left; j < min(left+side, i); j++ {
					g[j*k+i] = g[i*k+j]
				}
			}
		}
	}
}
