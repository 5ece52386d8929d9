// Package kernel holds the inner loops: sampled products of two factors, the all-in-one pass with its gradients and
// curvature products, sparse times block, Gram matrices, dense products, steps of symmetric eigenproblems, exponentials and logarithms.
//
// Every kernel exists in plain Go, the reference, and on amd64 in generated assembly for AVX2+FMA and for
// AVX-512 (F, DQ, VL, BW); the best the processor has is chosen when the program starts, see [Name]. The build tag purego
// leaves only plain Go. All of them pass the same tests.
//
// # Layout
//
// A factor matrix is row-major with row stride k, a positive multiple of 8, its padding columns zero. The list cols
// names the observed columns of one row of the data matrix; entry e of that row meets row j = cols[e] of v, that is
// v[j*k : j*k+k], written v_j below. A column may occur more than once. Kernels of several rows, as [HessRows], cut
// long calls at rows, which keeps a goroutine preemptible.
//
// Operators call those of several rows, and of one row [DotRow], [SpmmRow], [GatherRow] and [ScatterRow]; solving with panels calls
// [ResidualRow]. The others of one row, and the all-in-one pass, are called by tests and measurements alone: they say what an entry costs without a
// loop over rows, and what a pass for everything at once would. Formulas and figures stand beside the kernels of one row.
//
// Slices may be longer than needed; the rest is left alone. Outputs must not overlap inputs or each other. A slice
// that is too short, a stride that is no multiple of 8, or a column outside v panics, before anything outside the slices is
// touched. A result depends on the arguments and on the type of processor alone.
//
// # Speed
//
// The row kernels do few flops a byte, so that caches set their limit, not arithmetic. The figures beside them are for
// float64 with AVX-512 on one core of a Zen 4 server (FMA peak 71 GF/s; streams of reads run at 100 GB/s from the level-2
// and level-3 cache and at 25 GB/s from memory), over the 6040 × 3706 pattern with 750,000 entries of BenchmarkRow64, k
// from 16 to 128, best of five. They are 4 to 7 times plain Go. AVX2 takes 1 to 1.4 times as long, float32 about half as
// long. Where the matrices together pass 12 MB, rows are prefetched; in BenchmarkFarRow64, where they come from memory,
// PassRow moves 22 to 27 GB/s. To measure again:
//
//	go test -run '^$' -bench 'Row64|Gemm64|Vector64' -count 5 ./internal/kernel
package kernel

//go:generate go -C gen run . -isa avx2 -out ../avx2_amd64.s -stubs ../avx2_amd64.go -pkg kernel
//go:generate go -C gen run . -isa avx512 -out ../avx512_amd64.s -stubs ../avx512_amd64.go -pkg kernel
//go:generate go -C gen run . -twins ../float32.go ../residual.go ../hess.go ../spmm.go ../rows.go ../packed.go ../ridge.go ../vector.go ../exp.go ../sparse.go
