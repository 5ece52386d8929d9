package allcells

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// gradient is -∇L = diag(α) (S - w₀ U Vᵀ) diag(β), with the U and V of X, or without them.
type gradient struct {
	c    *Cells
	u, v *gcg.Factor
}

// OutsideW is a map with the same products between vectors that are orthogonal to the column space, and to the row space, of W:
// where nothing is scaled the low rank is left out.
func (g *gradient) OutsideW() gcg.Map {
	if g.c.rowMul != nil {
		return g
	}
	return &gradient{c: g.c}
}

// Dims is m, n.
func (g *gradient) Dims() (m, n int) { return g.c.m, g.c.n }

// MulTo is dst = G x.
func (g *gradient) MulTo(dst, x []float64) {
	c := g.c
	c.rows.vectorTo(dst, times(x, c.colMul), c.rowMul, c.background, g.u, g.v)
}

// TMulTo is dst = Gᵀ y.
func (g *gradient) TMulTo(dst, y []float64) {
	c := g.c
	c.cols.vectorTo(dst, times(y, c.rowMul), c.colMul, c.background, g.v, g.u)
}

// times is diag(by) x; a nil by stands for ones.
func times(x, by []float64) []float64 {
	if by == nil {
		return x
	}
	y := make([]float64, len(x))
	kernel.Hadamard(y, x, by)
	return y
}

// vectorTo writes diag(mul) (S x - w₀ U (Vᵀ x)).
func (s *side) vectorTo(dst, x, mul []float64, background float64, u, v *gcg.Factor) {
	var along []float64
	if u != nil {
		along = make([]float64, u.Stride)
		for j, by := range x {
			kernel.Axpy(by, v.Row(j), along)
		}
	}
	blocks := s.blocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(dst))
		for i := lo; i < hi; i++ {
			from, to := s.ptr[i], s.ptr[i+1]
			dst[i] = kernel.DotSparse(x, s.index[from:to], s.s[from:to])
			if u != nil {
				dst[i] -= background * kernel.Dot(u.Row(i), along)
			}
			if mul != nil {
				dst[i] *= mul[i]
			}
		}
	})
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *gradient) MulBlockTo(dst, x *gcg.Factor) {
	c := g.c
	c.rows.productTo(dst, x, c.rowMul, c.colMul, c.background, g.u, g.v)
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *gradient) TMulBlockTo(dst, y *gcg.Factor) {
	c := g.c
	c.cols.productTo(dst, y, c.colMul, c.rowMul, c.background, g.v, g.u)
}

// productTo writes diag(mul) (S X - w₀ U (Vᵀ X)) for X = diag(by) x: 2k flops a click.
func (s *side) productTo(dst, x *gcg.Factor, mul, by []float64, background float64, u, v *gcg.Factor) {
	if by != nil {
		x = scaledRows(x, by)
		defer gcg.Repay(x)
	}
	clear(dst.Data)
	if u != nil {
		along := gcg.TMul(v, x)
		along.Scale(-background)
		dst.AddMul(u, along)
		gcg.Repay(along)
	}
	blocks := s.blocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, dst.Rows)
		kernel.GatherRows(dst.Data[lo*dst.Stride:], x.Data, x.Stride, s.ptr[lo:hi+1], s.index, s.s)
	})
	scaleRows(dst, mul)
}

// BothTo is gv = G v and gu = Gᵀ u.
func (g *gradient) BothTo(gv, gu, u, v *gcg.Factor) {
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
}

// RowsTo writes the rows of G from the given one on, as many as dst has room for: small matrices only.
func (g *gradient) RowsTo(dst []float64, row int) {
	c := g.c
	clear(dst)
	for t := range len(dst) / c.n {
		i, to := row+t, dst[t*c.n:(t+1)*c.n]
		if g.u != nil {
			for j := range to {
				to[j] = -c.background * kernel.Dot(g.u.Row(i), g.v.Row(j))
			}
		}
		for e := c.rows.ptr[i]; e < c.rows.ptr[i+1]; e++ {
			to[c.rows.index[e]] += c.rows.s[e]
		}
		if c.rowMul != nil {
			kernel.Hadamard(to, to, c.colMul)
			kernel.Scale(c.rowMul[i], to)
		}
	}
}
