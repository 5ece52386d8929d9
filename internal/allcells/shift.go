package allcells

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// ShiftedSums are Sums for the dual point G - U Vᵀ in place of G = -∇L: with r = c (p - x) and Δ = diag(1/α) U Vᵀ diag(1/β), they
// are Σ (r - Δ)²/c and Σ (r - Δ) p over all cells. Of Δ these are
//
//	Σ_Ω Δ,   ⟨X, Δ⟩ = ⟨Uₓᵀ U, Vₓᵀ V⟩   and   Σ Δ²/c = (‖Δ‖² - Σ_Ω a/c Δ²)/w₀,
//
// which takes 2k flops a click, and the Gram matrices of the factors.
func (c *Cells) ShiftedSums(u, v *gcg.Factor) (rr, ry float64) {
	u, v = scaledRows(u, inverses(c.rowMul)), scaledRows(v, inverses(c.colMul))
	defer gcg.Repay(u, v)
	r, blocks := c.rows, c.rows.blocks()
	squares := make([]float64, blocks)
	sum := par.Sum(blocks, func(b int) (sum float64) {
		lo, hi := par.Range(b, blocks, c.m)
		w := borrow()
		defer w.release()
		d := w.take(r, lo, hi)
		x := grown(&w.x, len(d.index))
		kernel.DotRows(x, u.Data[lo*u.Stride:], v.Data, u.Stride, d.ptr, d.index)
		for e, a := range d.a {
			sum += x[e]
			squares[b] += a / (a + c.background) * x[e] * x[e]
		}
		return sum
	})
	square := product(gcg.TMul(u, u), gcg.TMul(v, v))
	for _, s := range squares {
		square -= s
	}
	var along float64
	if c.u != nil {
		along = product(gcg.TMul(c.u, u), gcg.TMul(c.v, v))
	}
	return c.rr - 2*(sum-along) + square/c.background, c.ry - sum
}

// inverses is 1/x of each, and nil for nil.
func inverses(x []float64) []float64 {
	if x == nil {
		return nil
	}
	y := make([]float64, len(x))
	for i, a := range x {
		y[i] = 1 / a
	}
	return y
}

// ShiftPrice is 1/2w₀, or what is left of it where the scales are largest.
func (c *Cells) ShiftPrice() float64 {
	price := 1 / (2 * c.background)
	for _, mul := range [][]float64{c.rowMul, c.colMul} {
		if mul != nil {
			most := slices.Max(mul)
			price /= most * most
		}
	}
	return price
}
