package kernel

import (
	"sync"
	"unsafe"
)

// A Real is what a kernel stores its numbers in; generic code compiles to separate loops for the two.
type Real interface{ float32 | float64 }

// An implementation is all kernels for one instruction set. Their arguments have been checked, except that columns may be out of
// range: row kernels return how many entries they did, less than len(cols) if they met such a one.
type implementation struct {
	name string
	in64 kernels[float64]
	in32 kernels[float32]

	widen  func(y []float64, x []float32)
	narrow func(y []float32, x []float64)

	// Ridge regressions, in float32 alone. Rows packed side by side, see PackRows; of the last three there is one for each multiple
	// of 4 elements.
	packRows       func(p, v, none, x []float32, k, dims int, ptr []int64, cols []int32) (done int)
	packedGradient [MostPacked / 4]func(g, p, u []float32, k int, ptr []int64) (square float64)
	packedCore     [MostPacked / 4]func(h, p, d []float32, k int, ptr []int64)
	packedSquare   [MostPacked / 4]func(squares, p, d []float32, k int, ptr []int64)

	// The vectors of their conjugate gradient steps, see RidgeBegin.
	beginRows func(u, g, d, h, mean []float32, k int, counts, ridge, old []float32)
	stepRows  func(u, g, d, h, mean []float32, k int, counts, ridge, old []float32) (gain float64)
	lastRows  func(u, d, h []float32, k int, ridge, old, squares []float32) (gain float64)

	// Sizes, logarithms and symmetric eigenproblems, in float64 alone.
	clamp   func(a float64, x []float64)
	apart   func(x, y []float64) float64
	logTo   func(dst, x []float64)
	entropy func(x []float64, scale float64) (sum, entropy float64)
	rotate  func(z []float64, k int, c, s []float64)
	rankTwo func(p, a []float64, lda int, v, w, x, vr, wr []float64)
}

// kernels are those that there are for both storages.
type kernels[T Real] struct {
	// Several rows: entries ptr[i] ≤ e < ptr[i+1] are those of row i of u, du and gu. They start from ptr[0] and return
	// ptr[len(ptr)-1] unless they met a wrong column.
	dotRows      func(z, u, v []T, k int, ptr []int64, cols []int32) (done int)
	residualRows func(r, u, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int)
	gradientRows func(r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T) (loss float64, done int)
	hessRows     func(gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T) (done int)
	coreRows     func(gu, pu, q []T, k int, ptr []int64, cols []int32) (done int)
	columnRows   func(gv, u, v []T, k int, ptr []int64, cols []int32) (done int)
	spmmRows     func(gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T) (done int)
	gatherRows   func(gu, v []T, k int, ptr []int64, cols []int32, r []T) (done int)
	scatterRows  func(gv, u []T, k int, ptr []int64, cols []int32, r []T) (done int)

	// tile adds A·B to a tile of c, mr rows and q chunks of lanes columns: A[i, p] = a[i*rs+p*cs], B[p, j] = b[p*ldb+j],
	// 0 ≤ p < depth.
	tile  [maxChunks]tile[T]
	mr    int
	lanes int

	frames sync.Pool // of *frame[T], working memory of the dense products

	dot      func(x, y []T) float64
	axpy     func(a T, x, y []T)
	axpyFour func(a0, a1, a2, a3 T, x0, x1, x2, x3, y []T)
	scale    func(a T, x []T)
	hadamard func(z, x, y []T)
	max      func(x []T) T // passing over NaN; -Inf if there is nothing
	expTo    func(dst, x []T, shift T) float64
}

type tile[T Real] = func(c []T, ldc int, a []T, rs, cs int, b []T, ldb, depth int)

const maxChunks = 3

var active = best()

// best is the last: implementations are listed from slow to fast.
func best() *implementation {
	all := implementations()
	return all[len(all)-1]
}

// in is the table of T. The size of T, which is known where the code is compiled, chooses it: that costs a short call nothing.
func in[T Real]() *kernels[T] {
	if unsafe.Sizeof(T(0)) == unsafe.Sizeof(float64(0)) {
		return (*kernels[T])(unsafe.Pointer(&active.in64))
	}
	return (*kernels[T])(unsafe.Pointer(&active.in32))
}

// Name tells which implementation runs: "avx512", "avx2" or "plain".
func Name() string { return active.name }

func plain() *implementation {
	return &implementation{
		name:           "plain",
		in64:           plainIn[float64](),
		in32:           plainIn[float32](),
		widen:          convertPlain[float64, float32],
		narrow:         convertPlain[float32, float64],
		packRows:       packRowsPlain,
		packedGradient: fours(packedGradientPlain),
		packedCore:     fours(packedCorePlain),
		packedSquare:   fours(packedSquarePlain),
		beginRows:      beginRowsPlain,
		stepRows:       stepRowsPlain,
		lastRows:       lastRowsPlain,
		clamp:          clampPlain,
		apart:          apartPlain,
		logTo:          logToPlain,
		entropy:        entropyPlain,
		rotate:         rotatePlain,
		rankTwo:        rankTwoPlain,
	}
}

func plainIn[T Real]() kernels[T] {
	return kernels[T]{
		dotRows:      dotRowsPlain[T],
		residualRows: residualRowsPlain[T],
		gradientRows: gradientRowsPlain[T],
		hessRows:     hessRowsPlain[T],
		coreRows:     coreRowsPlain[T],
		columnRows:   columnRowsPlain[T],
		spmmRows:     spmmRowsPlain[T],
		gatherRows:   gatherRowsPlain[T],
		scatterRows:  scatterRowsPlain[T],
		tile:         [...]tile[T]{tilePlain[T], nil, nil},
		mr:           4,
		lanes:        4,
		dot:          dotPlain[T],
		axpy:         axpyPlain[T],
		axpyFour:     axpyFourPlain[T],
		scale:        scalePlain[T],
		hadamard:     hadamardPlain[T],
		max:          maxPlain[T],
		expTo:        expToPlain[T],
	}
}
