package kernel

import (
	"sync"
	"unsafe"
)

// A Real is what a kernel stores its numbers in; generic code compiles to separate loops for the two.
type Real interface{ float32 | float64 }

// kernels is one implementation of everything, for one storage type. The arguments have been checked, except that
// columns may be out of range: row kernels return how many entries they did, less than len(cols) if they met such a one.
type kernels[T Real] struct {
	name string

	// Several rows: entries ptr[i] ≤ e < ptr[i+1] are those of row i of u, du and gu. They start from ptr[0] and return
	// ptr[len(ptr)-1] unless they met a wrong column.
	dotRows      func(z, u, v []T, k int, ptr []int64, cols []int32) (done int)
	residualRows func(r, u, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int)
	gradientRows func(r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int)
	passRows     func(r, u, gu, v, gv []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int)
	hessRows     func(gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T) (done int)
	coreRows     func(gu, pu, q []T, k int, ptr []int64, cols []int32) (done int)
	columnRows   func(gv, u, v []T, k int, ptr []int64, cols []int32) (done int)
	spmmRows     func(gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T) (done int)
	gatherRows   func(gu, v []T, k int, ptr []int64, cols []int32, r []T) (done int)
	scatterRows  func(gv, u []T, k int, ptr []int64, cols []int32, r []T) (done int)

	// Rows packed side by side, see PackRows; of the last three there is one for each multiple of 4 elements.
	packRows       func(p, v, none, x []T, k, dims int, ptr []int64, cols []int32) (done int)
	packedGradient [MostPacked / 4]func(g, p, u []T, k int, ptr []int64) (square float64)
	packedCore     [MostPacked / 4]func(h, p, d []T, k int, ptr []int64)
	packedSquare   [MostPacked / 4]func(squares, p, d []T, k int, ptr []int64)

	// The vectors of conjugate gradient steps on ridge regressions, see RidgeBegin.
	beginRows func(u, g, d, h, mean []T, k int, counts, ridge, old []T)
	stepRows  func(u, g, d, h, mean []T, k int, counts, ridge, old []T) (gain float64)
	lastRows  func(u, d, h []T, k int, ridge, old, squares []T) (gain float64)

	// tile adds A·B to a tile of c, mr rows and q chunks of lanes columns: A[i, p] = a[i*rs+p*cs], B[p, j] = b[p*ldb+j],
	// 0 ≤ p < depth.
	tile  [maxChunks]tile[T]
	mr    int
	lanes int

	frames sync.Pool // of *frame[T], working memory of the dense products

	dot      func(x, y []T) float64
	axpy     func(a T, x, y []T)
	scale    func(a T, x []T)
	hadamard func(z, x, y []T)
	max      func(x []T) T // passing over NaN; -Inf if there is nothing
	expTo    func(dst, x []T, shift T) float64

	widen  func(y []float64, x []float32) // of the table for float32
	narrow func(y []float32, x []float64)

	// In float64 alone: logarithms, and those of symmetric eigenproblems.
	logTo   func(dst, x []T)
	entropy func(x []T, scale T) (sum, entropy float64)
	rotate  func(z []T, k int, c, s []T)
	rankTwo func(p, a []T, lda int, v, w, x, vr, wr []T)
}

type tile[T Real] = func(c []T, ldc int, a []T, rs, cs int, b []T, ldb, depth int)

const maxChunks = 3

var (
	active64 = best(implementations64())
	active32 = best(implementations32())
)

// active is the table of T. The size of T, which is known where the code is compiled, chooses it: that costs a short call nothing.
func active[T Real]() *kernels[T] {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float64(0)) {
		return (*kernels[T])(unsafe.Pointer(active64))
	}
	return (*kernels[T])(unsafe.Pointer(active32))
}

// Name tells which implementation runs: "avx512", "avx2" or "plain".
func Name() string { return active64.name }

// best is the last: implementations are listed from slow to fast.
func best[T Real](all []*kernels[T]) *kernels[T] { return all[len(all)-1] }

func plain[T Real]() *kernels[T] {
	return &kernels[T]{
		name:           "plain",
		dotRows:        dotRowsPlain[T],
		residualRows:   residualRowsPlain[T],
		gradientRows:   gradientRowsPlain[T],
		passRows:       passRowsPlain[T],
		hessRows:       hessRowsPlain[T],
		coreRows:       coreRowsPlain[T],
		columnRows:     columnRowsPlain[T],
		spmmRows:       spmmRowsPlain[T],
		gatherRows:     gatherRowsPlain[T],
		scatterRows:    scatterRowsPlain[T],
		packRows:       packRowsPlain[T],
		packedGradient: fours(packedGradientPlain[T]),
		packedCore:     fours(packedCorePlain[T]),
		packedSquare:   fours(packedSquarePlain[T]),
		beginRows:      beginRowsPlain[T],
		stepRows:       stepRowsPlain[T],
		lastRows:       lastRowsPlain[T],
		tile:           [...]tile[T]{tilePlain[T], nil, nil},
		mr:             4,
		lanes:          4,
		dot:            dotPlain[T],
		axpy:           axpyPlain[T],
		scale:          scalePlain[T],
		hadamard:       hadamardPlain[T],
		max:            maxPlain[T],
		expTo:          expToPlain[T],
		widen:          convertPlain[float64, float32],
		narrow:         convertPlain[float32, float64],
		rotate:         rotatePlain[T],
		rankTwo:        rankTwoPlain[T],
		entropy:        entropyPlain[T],
		logTo:          logToPlain[T],
	}
}
