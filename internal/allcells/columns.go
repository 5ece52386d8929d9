package allcells

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ColumnTotals are Σ a over the clicks of each column.
func (c *Cells) ColumnTotals() []float64 { return c.cols.total }

// ColumnResidual overwrites g (n×k) with the clicks' part of -∂L/∂V at X = U Vᵀ, Σ_Ω s u with s = c - a x, and returns that of
// 2L, Σ_Ω (c - x(c + s)). What is left of both is w₀ times the product with UᵀU.
func (c *Cells) ColumnResidual(g, v, u *gcg.Factor32) (square float64) {
	return c.columns(g, v, u, func(d run, x []float32) (square float64) {
		for e, a := range d.a {
			w, fit := a+c.background, float64(x[e])
			s := w - a*fit
			square += w - fit*(w+s)
			x[e] = float32(s)
		}
		return square
	})
}

// ColumnNormal overwrites h (n×k) with the clicks' part of the second derivatives of L in V along D, Σ_Ω a u uᵀd.
func (c *Cells) ColumnNormal(h, d, u *gcg.Factor32) {
	c.columns(h, d, u, func(d run, x []float32) float64 {
		for e, a := range d.a {
			x[e] *= float32(a)
		}
		return 0
	})
}

// columns overwrites g with Σ_Ω x u, of the x that to makes of ⟨u, v⟩ on the clicks of some columns, and adds what it returns.
func (c *Cells) columns(g, v, u *gcg.Factor32, to func(d run, x []float32) float64) float64 {
	t, k := c.cols, v.Stride
	blocks := t.blocks()
	return par.Sum(blocks, func(b int) float64 {
		lo, hi := par.Range(b, blocks, len(t.ptr)-1)
		w := borrow()
		defer w.release()
		d := w.take(t, lo, hi)
		x := grown(&w.single[0], len(d.index))
		kernel.DotRows(x, v.Data[lo*k:], u.Data, k, d.ptr, d.index)
		sum := to(d, x)
		rows := g.Data[lo*k : hi*k]
		clear(rows)
		kernel.GatherRows(rows, u.Data, k, d.ptr, d.index, x)
		return sum
	})
}

// OutsideW is -∇L without its low rank.
func (c *Cells) OutsideW() gcg.Map { return &gradient{c: c} }
