// Package kernel holds the inner loops: sampled products of two factors with their gradients and curvature, sparse times block,
// Gram matrices, dense products, steps of symmetric eigenproblems, exponentials and logarithms.
//
// Every kernel exists in plain Go, the reference, and on amd64 in generated assembly for AVX2+FMA and for
// AVX-512 (F, DQ, VL, BW); the best the processor has is chosen when the program starts, see [Name]. The build tag purego
// leaves only plain Go. All of them pass the same tests.
//
// # Layout
//
// A factor matrix is row-major with row stride k, a positive multiple of 8, its padding columns zero. Kernels of rows go over
// rows of observed entries: those of row i lie at ptr[i] ≤ e < ptr[i+1]. The list cols names the columns; entry e of row i meets
// row j = cols[e] of v, that is v[j*k : j*k+k], written v_j below, and row i of u, written u_i. A column may occur more than
// once. Long calls are cut at rows, which keeps a goroutine preemptible.
//
// Slices may be longer than needed; the rest is left alone. Outputs must not overlap inputs or each other. A slice
// that is too short, a stride that is no multiple of 8, or a column outside v panics, before anything outside the slices is
// touched. Sweeps of ridge regressions have kernels in float32 alone, sums of sizes, logarithms and eigenproblems in float64
// alone, all others in both. A result depends on the arguments and on the type of processor alone.
//
// # Speed
//
// The kernels of rows do few flops a byte, so that caches set their limit, not arithmetic. docs/kernels.md has what they reach of
// it, beside the limits; figures beside the kernels are those for float64 with AVX-512 there, k from 16 to 64. They are 4 to 7
// times plain Go. AVX2 takes 1 to 1.4 times as long as AVX-512, float32 about half as long as float64. Where the matrices
// together pass 12 MB, rows are prefetched; BenchmarkFarRows64 has such. To measure again:
//
//	go test -run '^$' -bench 'Rows64|Gemm64|Vector64' -count 5 ./internal/kernel
package kernel

//go:generate go -C gen run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg kernel
//go:generate go -C gen run . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
