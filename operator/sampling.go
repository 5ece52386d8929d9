package operator

import (
	"fmt"
	"math"
	"math/bits"
	"slices"
	"sort"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Sampling reads entries of W: z_e = αᵢ W_ij βⱼ for the observations e = (i, j), in the order of rows. Without scales it is
// the operator of matrix completion [Yu17 §5.1]; with αᵢ = 1/√pᵢ and βⱼ = 1/√qⱼ it is completion in the variable of the
// weighted trace norm, W̃ = diag(p)^½ W diag(q)^½.
type Sampling struct {
	m, n   int
	ptr    []int64   // m+1: row i holds observations ptr[i] … ptr[i+1]-1
	cols   []int32   // N column indices, ascending in each row
	rowMul []float64 // α, or nil for ones
	colMul []float64 // β; nil with rowMul
	ones   []float64 // as many as the longest row has observations
	cuts   []int     // row boundaries of the pieces that passes over the data are cut into
	sums   int       // how many sums passes have that add to the same places; the pieces of a run of them share one
}

// NewSampling takes the observed entries as compressed rows: ptr has m+1 ascending offsets, cols the column of every
// observation, strictly ascending within a row; anything else is an error. The slices are kept, not copied.
func NewSampling(m, n int, ptr []int64, cols []int32) (*Sampling, error) {
	if err := checkRows(m, n, ptr, cols); err != nil {
		return nil, err
	}
	s := &Sampling{m: m, n: n, ptr: ptr, cols: cols}
	s.cut()
	return s, nil
}

// Scaled is the same sampling with z_ij = rowMul_i W_ij colMul_j. The observations are shared, and the scales are kept. It
// refuses other lengths, and scales that are not positive and finite.
func (s *Sampling) Scaled(rowMul, colMul []float64) (*Sampling, error) {
	if err := checkScales(s.m, s.n, rowMul, colMul); err != nil {
		return nil, err
	}
	t := *s
	t.rowMul, t.colMul = rowMul, colMul
	return &t, nil
}

// checkScales refuses other lengths, and scales that are not positive and finite.
func checkScales(m, n int, rowMul, colMul []float64) error {
	if len(rowMul) != m || len(colMul) != n {
		return fmt.Errorf("operator: %d row and %d column scales for a %d×%d sampling", len(rowMul), len(colMul), m, n)
	}
	for side, scales := range [2][]float64{rowMul, colMul} {
		for i, x := range scales {
			if !(x > 0) || math.IsInf(x, 0) {
				return fmt.Errorf("operator: the scale of %s %d is %v; scales are positive and finite", [2]string{"row", "column"}[side],
					i+1, x)
			}
		}
	}
	return nil
}

// cut chooses the pieces, of nearly equal work, and the number of sums. A pass that adds to rows of V needs sums of n×k. Up to
// four are used while clearing and adding one costs at most a tenth of the work of its observations. Up to 16 are used while
// that costs at most a thirtieth. It is a power of two, as two processors take as long for three as for four.
func (s *Sampling) cut() {
	nobs := len(s.cols)
	pieces := max(1, min(64, nobs>>11, s.m))
	sums := max(1, min(16, pieces, max(min(4, nobs/(16*s.n)), nobs/(48*s.n))))
	s.sums = 1 << (bits.Len(uint(sums)) - 1)
	s.cuts = cutEvenly(s.ptr, pieces)
	longest := int64(0)
	for i := range s.m {
		longest = max(longest, s.ptr[i+1]-s.ptr[i])
	}
	s.ones = make([]float64, longest)
	for i := range s.ones {
		s.ones[i] = 1
	}
}

// pieces calls f for the rows of every piece, on all processors.
func (s *Sampling) pieces(f func(lo, hi int)) {
	par.For(len(s.cuts)-1, func(t int) { f(s.cuts[t], s.cuts[t+1]) })
}

// Dims is the size m×n of W and the number of observations.
func (s *Sampling) Dims() (m, n, nobs int) { return s.m, s.n, len(s.cols) }

// offsets are the offsets, counted from lo, of the rows from first on that have observations lo ≤ e < hi; they end with hi -
// lo.
func (s *Sampling) offsets(lo, hi int) (first int, ptr []int64) {
	first = sort.Search(s.m, func(i int) bool { return s.ptr[i+1] > int64(lo) })
	ptr = []int64{0}
	for i := first; i < s.m && s.ptr[i] < int64(hi); i++ {
		ptr = append(ptr, min(s.ptr[i+1], int64(hi))-int64(lo))
	}
	return first, ptr
}

// AtomTo is z = A(a) from observation lo on. The entries of a sparse a are looked up in the pattern.
func (s *Sampling) AtomTo(z []float64, lo int, a *gcg.Atom) {
	if a.LowRank() {
		s.FactoredTo(z, lo, a.U, a.V)
		return
	}
	clear(z)
	for t, i := range a.Rows {
		if e, ok := s.find(i, a.Cols[t]); ok && e >= lo && e < lo+len(z) {
			z[e-lo] += a.Vals[t] * s.scale(int(i), int(a.Cols[t]))
		}
	}
}

// find is the observation of entry (i, j), if there is one.
func (s *Sampling) find(i, j int32) (e int, ok bool) {
	at, ok := slices.BinarySearch(s.cols[s.ptr[i]:s.ptr[i+1]], j)
	return int(s.ptr[i]) + at, ok
}

// scale is αᵢβⱼ.
func (s *Sampling) scale(i, j int) float64 {
	if s.rowMul == nil {
		return 1
	}
	return s.rowMul[i] * s.colMul[j]
}

// FactoredTo is z = A(U Vᵀ) from observation lo on. It takes 2k flops and reads 8k+4 bytes for every observation.
func (s *Sampling) FactoredTo(z []float64, lo int, u, v *gcg.Factor) {
	first, ptr := s.offsets(lo, lo+len(z))
	cols := s.cols[lo : lo+len(z)]
	kernel.DotRows(z, from(u, first), v.Data, v.Stride, ptr, cols)
	if s.rowMul == nil {
		return
	}
	for i, at := range ptr[:len(ptr)-1] {
		for e := at; e < ptr[i+1]; e++ {
			z[e] *= s.rowMul[first+i] * s.colMul[cols[e]]
		}
	}
}

// Adjoint is the sparse matrix with entries αᵢ r_ij βⱼ at the observations. It keeps r.
func (s *Sampling) Adjoint(r []float64) gcg.Map { return &samplingMap{s, r} }

// Cells says that the observations are entries of W, each of one and in the order of rows: those of row i are ptr[i] …
// ptr[i+1]-1, at the given columns. It reports false where they are scaled. The slices are the operator's.
func (s *Sampling) Cells() (ptr []int64, cols []int32, ok bool) {
	return s.ptr, s.cols, s.rowMul == nil
}

// samplingMap is the adjoint of a sampling at r: the m×n matrix with entries αᵢ r_ij βⱼ at the observations.
type samplingMap struct {
	*Sampling
	r []float64
}

// Dims is m, n.
func (g *samplingMap) Dims() (m, n int) { return g.m, g.n }

// MulTo is dst = G x: 2 flops and 12 bytes for every observation, besides the reads of x.
func (g *samplingMap) MulTo(dst, x []float64) {
	x = scaled(x, g.colMul)
	g.pieces(func(first, end int) {
		for i := first; i < end; i++ {
			lo, hi := g.ptr[i], g.ptr[i+1]
			dst[i] = kernel.DotSparse(x, g.cols[lo:hi], g.r[lo:hi])
			if g.rowMul != nil {
				dst[i] *= g.rowMul[i]
			}
		}
	})
}

// TMulTo is dst = Gᵀ y.
func (g *samplingMap) TMulTo(dst, y []float64) {
	y = scaled(y, g.rowMul)
	scatter(g.Sampling, dst, func(buf []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			if y[i] != 0 {
				kernel.AxpySparse(buf, y[i], g.cols[g.ptr[i]:g.ptr[i+1]], g.r[g.ptr[i]:g.ptr[i+1]])
			}
		}
	})
	scaleTo(dst, g.colMul)
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *samplingMap) MulBlockTo(dst, x *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	x = by.rows(x, g.colMul)
	g.pieces(func(lo, hi int) {
		clear(rowsOf(dst, lo, hi))
		kernel.GatherRows(from(dst, lo), x.Data, x.Stride, g.ptr[lo:hi+1], g.cols, g.r)
	})
	scaleRows(dst, g.rowMul)
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *samplingMap) TMulBlockTo(dst, y *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	y = by.rows(y, g.rowMul)
	scatter(g.Sampling, dst.Data, func(buf []float64, lo, hi int) {
		kernel.ScatterRows(buf, from(y, lo), y.Stride, g.ptr[lo:hi+1], g.cols, g.r)
	})
	scaleRows(dst, g.colMul)
}

// BothTo is gv = G v and gu = Gᵀ u in one pass: 4k flops and about 24k bytes of cache traffic for every observation.
func (g *samplingMap) BothTo(gv, gu, u, v *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, g.rowMul), by.rows(v, g.colMul)
	scatter(g.Sampling, gu.Data, func(buf []float64, lo, hi int) {
		clear(rowsOf(gv, lo, hi))
		kernel.SpmmRows(from(gv, lo), buf, from(u, lo), v.Data, v.Stride, g.ptr[lo:hi+1], g.cols, g.r)
	})
	scaleRows(gv, g.rowMul)
	scaleRows(gu, g.colMul)
}

// RowsTo writes the rows of G from the given one on, with their zeros, as many as dst has room for.
func (g *samplingMap) RowsTo(dst []float64, row int) {
	clear(dst)
	for i := row; (i-row)*g.n < len(dst); i++ {
		for e := g.ptr[i]; e < g.ptr[i+1]; e++ {
			j := g.cols[e]
			dst[(i-row)*g.n+int(j)] = g.r[e] * g.scale(i, int(j))
		}
	}
}

// scatter overwrites dst (n×k) with a sum over all observations. For some rows lo ≤ i < hi at a time, f adds the terms of
// their observations to a part, which is zero at first.
func scatter[T Storage](s *Sampling, dst []T, f func(part []T, lo, hi int)) {
	par.Accumulate(dst, s.sums, len(s.cuts)-1, func(part []T, first, end int) { f(part, s.cuts[first], s.cuts[end]) })
}

// SquaredNorm is Σ (αᵢ r_ij βⱼ)² over the observations.
func (g *samplingMap) SquaredNorm() float64 {
	if g.rowMul == nil && g.colMul == nil {
		return kernel.SumSq(g.r)
	}
	blocks := par.Grain(g.m, 1<<10, 64)
	return par.Sum(blocks, func(b int) (s float64) {
		lo, hi := par.Range(b, blocks, g.m)
		for i := lo; i < hi; i++ {
			for e := g.ptr[i]; e < g.ptr[i+1]; e++ {
				x := g.r[e] * g.scale(i, int(g.cols[e]))
				s += x * x
			}
		}
		return s
	})
}

// ResidualTo writes r = y - A(U Vᵀ) and returns Σ r², in one pass; r may be y.
func (s *Sampling) ResidualTo(r, y []float64, u, v *gcg.Factor) float64 {
	if u.K == 0 {
		copy(r, y)
		return kernel.SumSq(y)
	}
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	return par.Sum(len(s.cuts)-1, func(t int) float64 {
		lo, hi := s.cuts[t], s.cuts[t+1]
		return kernel.ResidualRows(r, from(u, lo), v.Data, v.Stride, s.ptr[lo:hi+1], s.cols, y)
	})
}

// CurvatureTo is the second derivative of ½‖y - A(U Vᵀ)‖² along (dU, dV), in one pass and without predictions: with
// E = A*(A(dU Vᵀ + U dVᵀ)) and R = A*(r),
//
//	gu (m×k) = E V - R dV,   gv (n×k) = Eᵀ U - Rᵀ dU.
//
// 12k flops for every observation.
func (s *Sampling) CurvatureTo(gu, gv *gcg.Factor, r []float64, u, v, du, dv *gcg.Factor) {
	curvatureTo(s, gu, gv, r, u, v, du, dv)
}

// Curvature32To is CurvatureTo in float32.
func (s *Sampling) Curvature32To(gu, gv *gcg.Factor32, r []float32, u, v, du, dv *gcg.Factor32) {
	curvatureTo(s, gu, gv, r, u, v, du, dv)
}

// curvatureTo is CurvatureTo in the precision of the factors.
func curvatureTo[T Storage](s *Sampling, gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]) {
	var by scaling[T]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	du, dv = by.rows(du, s.rowMul), by.rows(dv, s.colMul)
	scatter(s, gv.Data, func(buf []T, lo, hi int) {
		clear(rowsOf(gu, lo, hi))
		kernel.HessRows(from(gu, lo), buf, from(u, lo), from(du, lo), v.Data, dv.Data, v.Stride, s.ptr[lo:hi+1], s.cols, r)
	})
	scaleRows(gu, s.rowMul)
	scaleRows(gv, s.colMul)
}

// NormalTo writes gu = A*(A(X Vᵀ)) V, the normal operator of U for a fixed V. 4k flops for every observation.
func (s *Sampling) NormalTo(gu, x, v *gcg.Factor) { normalTo(s, gu, x, v) }

// Normal32To is NormalTo in float32.
func (s *Sampling) Normal32To(gu, x, v *gcg.Factor32) { normalTo(s, gu, x, v) }

// normalTo is NormalTo in the precision of the factors.
func normalTo[T Storage](s *Sampling, gu, x, v *gcg.FactorOf[T]) {
	var by scaling[T]
	defer by.repay()
	x, v = by.rows(x, s.rowMul), by.rows(v, s.colMul)
	s.pieces(func(lo, hi int) {
		clear(rowsOf(gu, lo, hi))
		kernel.CoreRows(from(gu, lo), from(x, lo), v.Data, v.Stride, s.ptr[lo:hi+1], s.cols)
	})
	scaleRows(gu, s.rowMul)
}

// DiagonalTo writes the sums of squares that a Jacobi preconditioner needs: du_ic = Σⱼ αᵢ²βⱼ² v_jc² over the observed j of
// row i, and dv_jc = Σᵢ αᵢ²βⱼ² u_ic² over the observed i of column j. u2 and v2 hold the squares of the factors' entries. dv
// may be nil, which takes half of the time.
func (s *Sampling) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	var by scaling[float64]
	defer by.repay()
	u2, v2 = by.rows(by.rows(u2, s.rowMul), s.rowMul), by.rows(by.rows(v2, s.colMul), s.colMul)
	rows := func(buf []float64, lo, hi int) {
		clear(rowsOf(du, lo, hi))
		ptr := make([]int64, 2) // of one row: there are as many ones as the longest has entries
		for i := lo; i < hi; i++ {
			cols := s.cols[s.ptr[i]:s.ptr[i+1]]
			ptr[1] = int64(len(cols))
			if dv == nil {
				kernel.GatherRows(du.Row(i), v2.Data, v2.Stride, ptr, cols, s.ones)
			} else {
				kernel.SpmmRows(du.Row(i), buf, u2.Row(i), v2.Data, v2.Stride, ptr, cols, s.ones)
			}
		}
	}
	if dv == nil {
		s.pieces(func(lo, hi int) { rows(nil, lo, hi) })
	} else {
		scatter(s, dv.Data, rows)
		scaleRows(dv, s.colMul)
		scaleRows(dv, s.colMul)
	}
	scaleRows(du, s.rowMul)
	scaleRows(du, s.rowMul)
}

// RidgeRows is one half of a sweep of alternating ridge regressions, see view.RidgeOperator. It takes 4k flops for every
// observation, once and for every step but the last, which takes 2k.
func (s *Sampling) RidgeRows(u, v *gcg.Factor32, y []float32, ridge float64, steps int) (square, gain float64) {
	var by scaling[float32]
	defer by.repay()
	v = by.rows(v, s.colMul)
	mean := sampledMeanSquares(v, s.cols)
	ranges := func(t int) (lo, hi int) { return s.cuts[t], s.cuts[t+1] }
	entries := func(i int) int { return int(s.ptr[i+1] - s.ptr[i]) }
	rows := ridgeRows{u: u, v: v, mul: s.rowMul, mean: mean, entries: entries, longest: len(s.ones), ridge: ridge, steps: steps}
	return rows.solve(len(s.cuts)-1, ranges, func(w *ridgeWork, lo, hi int) {
		from, to := s.ptr[lo], s.ptr[hi]
		w.ptr, w.cols, w.y = fromZero(w.ptr[:0], s.ptr[lo:hi+1]), s.cols[from:to], y[from:to]
	})
}

// Transposed is the sampling of Wᵀ, and y in the order of its observations. Both are new.
func (s *Sampling) Transposed(y []float32) (t gcg.Operator, turned []float32) {
	blocks := par.Grain(len(s.cols), 8*s.n, min(8, len(s.cuts)-1))
	rows := func(b int) (lo, hi int) {
		lo, hi = par.Range(b, blocks, len(s.cuts)-1)
		return s.cuts[lo], s.cuts[hi]
	}
	next := make([][]int64, blocks) // how many observations a block has in each column, then where the next of them comes
	par.For(blocks, func(b int) {
		lo, hi := rows(b)
		count := make([]int64, s.n)
		for _, j := range s.cols[s.ptr[lo]:s.ptr[hi]] {
			count[j]++
		}
		next[b] = count
	})
	ptr := make([]int64, s.n+1)
	for j := range s.n {
		at := ptr[j]
		for _, to := range next {
			at, to[j] = at+to[j], at
		}
		ptr[j+1] = at
	}
	cols := memory.Make[int32](len(s.cols))
	turned = memory.Make[float32](len(y))
	par.For(blocks, func(b int) {
		lo, hi := rows(b)
		next := next[b]
		for i := lo; i < hi; i++ {
			from, to := s.ptr[i], s.ptr[i+1]
			targets := y[from:to]
			for e, j := range s.cols[from:to] {
				at := next[j]
				next[j] = at + 1
				cols[at], turned[at] = int32(i), targets[e]
			}
		}
	})
	tr := &Sampling{m: s.n, n: s.m, ptr: ptr, cols: cols, rowMul: s.colMul, colMul: s.rowMul}
	tr.cut()
	return tr, turned
}

// ListsTo writes gu (m×k) = B v and gv (n×k) = Bᵀ u for the cells B of the observations as zeros and ones, in one pass. gu with
// v, or gv with u, may be nil, and is then left out. Scales have no part in B.
func (s *Sampling) ListsTo(gu, gv, u, v *gcg.Factor) { listsTo(s, gu, gv, u, v, s.ones) }

// Lists32To is ListsTo in float32.
func (s *Sampling) Lists32To(gu, gv, u, v *gcg.Factor32) {
	ones := make([]float32, len(s.ones))
	for i := range ones {
		ones[i] = 1
	}
	listsTo(s, gu, gv, u, v, ones)
}

// listsTo is ListsTo in the precision of the factors, with as many ones as the longest row has entries.
func listsTo[T Storage](s *Sampling, gu, gv, u, v *gcg.FactorOf[T], ones []T) {
	if gu != nil && gu.K == 0 || gu == nil && gv.K == 0 {
		return
	}
	rows := func(buf []T, lo, hi int) {
		if gu != nil {
			clear(rowsOf(gu, lo, hi))
		}
		ptr := make([]int64, 2) // of one row: there are as many ones as the longest has entries
		for i := lo; i < hi; i++ {
			cols := s.cols[s.ptr[i]:s.ptr[i+1]]
			ptr[1] = int64(len(cols))
			switch {
			case gv == nil:
				kernel.GatherRows(gu.Row(i), v.Data, v.Stride, ptr, cols, ones)
			case gu == nil:
				kernel.ScatterRows(buf, u.Row(i), u.Stride, ptr, cols, ones)
			default:
				kernel.SpmmRows(gu.Row(i), buf, u.Row(i), v.Data, v.Stride, ptr, cols, ones)
			}
		}
	}
	if gv == nil {
		s.pieces(func(lo, hi int) { rows(nil, lo, hi) })
		return
	}
	scatter(s, gv.Data, rows)
}
