package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// squaresMap is G = A*(c·r), the m×n matrix with entries c·αᵢ r_ij βⱼ at the observations.
type squaresMap[T Storage] struct{ s *Squares[T] }

// Dims is m, n.
func (g *squaresMap[T]) Dims() (m, n int) { return g.s.t.m, g.s.t.n }

// MulTo is dst = G x: 2 flops and 8 or 12 bytes an observation, besides the reads of x.
func (g *squaresMap[T]) MulTo(dst, x []float64) {
	s := g.s
	x = scaled(x, s.colMul)
	clear(dst)
	s.t.each(func(w *scratch, r run) {
		values, part := widened(&w.a, s.r[r.lo:r.hi]), x[r.first:r.end]
		for i := range len(r.ptr) - 1 {
			lo, hi := r.ptr[i], r.ptr[i+1]
			dst[r.row+i] += kernel.DotSparse(part, r.index[lo:hi], values[lo:hi])
		}
	})
	s.finishVector(dst, s.rowMul)
}

// TMulTo is dst = Gᵀ y.
func (g *squaresMap[T]) TMulTo(dst, y []float64) {
	s := g.s
	y = scaled(y, s.rowMul)
	clear(dst)
	s.t.each(func(w *scratch, r run) {
		values, part := widened(&w.a, s.r[r.lo:r.hi]), dst[r.first:r.end]
		for i := range len(r.ptr) - 1 {
			lo, hi := r.ptr[i], r.ptr[i+1]
			kernel.AxpySparse(part, y[r.row+i], r.index[lo:hi], values[lo:hi])
		}
	})
	s.finishVector(dst, s.colMul)
}

// finishVector multiplies a product with G by c and by the scales of its side.
func (s *Squares[T]) finishVector(x, mul []float64) {
	scaleTo(x, mul)
	if s.c != 1 {
		kernel.Scale(s.c, x)
	}
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *squaresMap[T]) MulBlockTo(dst, x *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	x = by.rows(x, s.colMul)
	clear(dst.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.GatherRows(from(dst, r.row), block(x, r), x.Stride, r.ptr, r.index, widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, dst, s.rowMul)
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *squaresMap[T]) TMulBlockTo(dst, y *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	y = by.rows(y, s.rowMul)
	clear(dst.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.ScatterRows(block(dst, r), from(y, r.row), y.Stride, r.ptr, r.index, widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, dst, s.colMul)
}

// BothTo is gv = G v and gu = Gᵀ u in one pass: 4k flops an observation.
func (g *squaresMap[T]) BothTo(gv, gu, u, v *gcg.Factor) {
	s := g.s
	var by scaling[float64]
	defer by.repay()
	u, v = by.rows(u, s.rowMul), by.rows(v, s.colMul)
	clear(gv.Data)
	clear(gu.Data)
	s.t.each(func(w *scratch, r run) {
		kernel.SpmmRows(from(gv, r.row), block(gu, r), from(u, r.row), block(v, r), u.Stride, r.ptr, r.index,
			widened(&w.a, s.r[r.lo:r.hi]))
	})
	finish(s, gv, s.rowMul)
	finish(s, gu, s.colMul)
}

// RowsTo writes the rows of G from the given one on, with their zeros, as many as dst has room for.
func (g *squaresMap[T]) RowsTo(dst []float64, row int) {
	t, s := g.s.t, g.s
	clear(dst)
	for i := range len(dst) / t.n {
		for tile, ptr := range t.ptr {
			at, first := row+i-t.rows[tile/t.parts], t.cols[tile%t.parts]
			if at < 0 || at >= len(ptr)-1 {
				continue
			}
			for e := ptr[at]; e < ptr[at+1]; e++ {
				j := first + int(t.index[e])
				dst[i*t.n+j] = s.c * float64(s.r[e])
				if s.rowMul != nil {
					dst[i*t.n+j] *= s.rowMul[row+i] * s.colMul[j]
				}
			}
		}
	}
}
