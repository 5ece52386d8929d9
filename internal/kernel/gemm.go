package kernel

// GemmNN computes C += A·B for row-major contiguous C[m×n], A[m×k], B[k×n] of any sizes.
// 2mnk flops; square 51 to 53 GF/s, 0.7 of the peak; tall 43 GF/s for n = k = 16, 34 for 64, where memory limits, 48 for 200.
func GemmNN(c, a, b []float64, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[float64]{active64, c, a, b, m, n, k, k, 1, n, 1}).run(false)
}

// GemmTN computes C += Aᵀ·B for row-major contiguous C[m×n], A[k×m], B[k×n] of any sizes.
// 2mnk flops; 51 to 53 GF/s for square matrices, 38 to 50 for tall A and B, 0.5 to 0.7 of the peak.
func GemmTN(c, a, b []float64, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[float64]{active64, c, a, b, m, n, k, 1, m, n, 1}).run(false)
}

// GemmNT computes C += A·Bᵀ for row-major contiguous C[m×n], A[m×k], B[n×k] of any sizes.
// 2mnk flops, as fast as GemmNN.
func GemmNT(c, a, b []float64, m, n, k int) {
	needGemm(len(c), len(a), len(b), m, n, k)
	(&product[float64]{active64, c, a, b, m, n, k, k, 1, 1, k}).run(false)
}

// Gram computes G += AᵀA for row-major contiguous A[rows×k] and G[k×k], for any k: the lower triangle with its diagonal is added to; what
// lies above the diagonal is left unspecified, until Mirror. rows·k² flops; 28 to 45 GF/s, 0.4 to 0.6 of the peak.
func Gram(g, a []float64, rows, k int) {
	need("g", len(g), k*k)
	need("a", len(a), rows*k)
	gram(active64, g, a, rows, k)
}

func needGemm(lenC, lenA, lenB, m, n, k int) {
	if m < 0 || n < 0 || k < 0 {
		panic("kernel: negative dimension")
	}
	need("c", lenC, m*n)
	need("a", lenA, m*k)
	need("b", lenB, n*k)
}

func gram[T real](s *kernels[T], g, a []T, rows, k int) {
	(&product[T]{s, g, a, a, k, k, rows, 1, k, k, 1}).run(true)
}
