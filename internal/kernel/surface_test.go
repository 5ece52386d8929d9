package kernel

import (
	"math/rand/v2"
	"testing"
)

// surface is the exported functions for one storage type, so that each test is written once.
type surface[T real] struct {
	dotRows      func(z, u, v []T, k int, ptr []int64, cols []int32)
	residualRows func(r, u, v []T, k int, ptr []int64, cols []int32, x []T) float64
	gradientRows func(r, u, gu, v []T, k int, ptr []int64, cols []int32, x []T) float64
	passRows     func(r, u, gu, v, gv []T, k int, ptr []int64, cols []int32, x []T) float64
	hessRows     func(gu, gv, u, du, v, dv []T, k int, ptr []int64, cols []int32, r []T)
	coreRows     func(gu, pu, q []T, k int, ptr []int64, cols []int32)
	columnRows   func(gv, u, v []T, k int, ptr []int64, cols []int32)
	spmmRows     func(gu, gv, u, v []T, k int, ptr []int64, cols []int32, r []T)
	gatherRows   func(gu, v []T, k int, ptr []int64, cols []int32, r []T)
	scatterRows  func(gv, u []T, k int, ptr []int64, cols []int32, r []T)

	packRows           func(p, v, none, x []T, k, dims int, ptr []int64, cols []int32)
	packedGradientRows func(g, p, u []T, k, dims int, ptr []int64) (square float64)
	packedCoreRows     func(h, p, d []T, k, dims int, ptr []int64)
	packedSquareRows   func(squares, p, d []T, k, dims int, ptr []int64)

	ridgeBegin func(u, g, d, h, mean []T, k int, counts, ridge, old []T)
	ridgeStep  func(u, g, d, h, mean []T, k int, counts, ridge, old []T) (gain float64)
	ridgeLast  func(u, d, h []T, k int, ridge, old, squares []T) (gain float64)

	gemmNN, gemmTN, gemmNT func(c, a, b []T, m, n, k int)
	gram                   func(g, a []T, rows, k int)

	dot   func(x, y []T) float64
	sumSq func(x []T) float64
	axpy  func(a T, x, y []T)
	scale func(a T, x []T)

	hadamard func(z, x, y []T)

	dotSparse  func(x []T, cols []int32, vals []T) float64
	axpySparse func(y []T, a T, cols []int32, vals []T)

	expTo      func(dst, x []T)
	expShiftTo func(dst, x []T, shift T) float64
}

var surface64 = surface[float64]{
	DotRows, ResidualRows, GradientRows, PassRows, HessRows, CoreRows, ColumnRows, SpmmRows, GatherRows, ScatterRows,
	PackRows, PackedGradientRows, PackedCoreRows, PackedSquareRows, RidgeBegin, RidgeStep, RidgeLast,
	GemmNN[float64], GemmTN[float64], GemmNT[float64], Gram[float64], Dot, SumSq, Axpy, Scale, Hadamard, DotSparse, AxpySparse, ExpTo, ExpShiftTo,
}

var surface32 = surface[float32]{
	DotRows32, ResidualRows32, GradientRows32, PassRows32, HessRows32, CoreRows32, ColumnRows32, SpmmRows32, GatherRows32, ScatterRows32,
	PackRows32, PackedGradientRows32, PackedCoreRows32, PackedSquareRows32, RidgeBegin32, RidgeStep32, RidgeLast32,
	GemmNN[float32], GemmTN[float32], GemmNT[float32], Gram[float32], Dot32, SumSq32, Axpy32, Scale32, Hadamard32, DotSparse32, AxpySparse32, ExpTo32, ExpShiftTo32,
}

// each runs the test once for every implementation this machine has.
func each(t *testing.T, f64 func(*testing.T, surface[float64]), f32 func(*testing.T, surface[float32])) {
	for _, s := range implementations32() {
		t.Run(s.name+"/float32", func(t *testing.T) {
			defer func(old *kernels[float32]) { active32 = old }(active32)
			active32 = s
			f32(t, surface32)
		})
	}
	for _, s := range implementations64() {
		t.Run(s.name+"/float64", func(t *testing.T) {
			defer func(old *kernels[float64]) { active64 = old }(active64)
			active64 = s
			f64(t, surface64)
		})
	}
}

// guarded returns n small integers, so that all sums are exact in any order, starting off elements into an array
// (unaligned for odd off), and a check that the elements around them have not been written to.
func guarded[T real](rng *rand.Rand, n, off int) (s []T, check func(t *testing.T, name string)) {
	const margin, mark = 24, 12345
	all := make([]T, off+n+margin)
	for i := range all {
		all[i] = mark
	}
	s = all[off : off+n]
	for i := range s {
		s[i] = T(rng.IntN(5) - 2)
	}
	return s, func(t *testing.T, name string) {
		t.Helper()
		for i, x := range all {
			if (i < off || i >= off+n) && x != mark {
				t.Fatalf("%s: wrote %d elements off its slice of %d", name, i-off, n)
			}
		}
	}
}

func integers[T real](rng *rand.Rand, n, off int) []T {
	s, _ := guarded[T](rng, n, off)
	return s
}

func clone[T real](s []T) []T { return append([]T(nil), s...) }

func equal[T real](t *testing.T, name string, got, want []T) {
	t.Helper()
	for i := range want {
		if got[i] != want[i] {
			t.Fatalf("%s[%d] = %v, want %v (of %d)", name, i, got[i], want[i], len(want))
		}
	}
}
