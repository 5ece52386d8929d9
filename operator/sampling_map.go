package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

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
