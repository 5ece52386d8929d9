package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// dense is a matrix G (m×n, row-major) as a map.
type dense struct {
	m, n int
	x    []float64
}

func (g *dense) Dims() (m, n int) { return g.m, g.n }

func (g *dense) row(i int) []float64 { return g.x[i*g.n : (i+1)*g.n] }

// rowBlocks cuts the rows so that a block is worth a goroutine.
func (g *dense) rowBlocks() int { return par.Grain(g.m, max(1, 1<<15/g.n), 64) }

func (g *dense) MulTo(dst, x []float64) {
	blocks := g.rowBlocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, g.m)
		for i := lo; i < hi; i++ {
			dst[i] = kernel.Dot(g.row(i), x)
		}
	})
}

func (g *dense) TMulTo(dst, y []float64) {
	sumBlocks(dst, par.Grain(g.m, max(1, 1<<17/g.n), 8), g.m, func(part []float64, lo, hi int) {
		for i := lo; i < hi; i++ {
			if y[i] != 0 {
				kernel.Axpy(y[i], g.row(i), part)
			}
		}
	})
}

func (g *dense) MulBlockTo(dst, x *gcg.Factor) {
	clear(dst.Data)
	blocks := g.rowBlocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, g.m)
		kernel.GemmNN(dst.Data[lo*dst.Stride:hi*dst.Stride], g.x[lo*g.n:hi*g.n], x.Data, hi-lo, dst.Stride, g.n)
	})
}

func (g *dense) TMulBlockTo(dst, y *gcg.Factor) {
	sumBlocks(dst.Data, par.Grain(g.m, max(1, 1<<17/g.n), 8), g.m, func(part []float64, lo, hi int) {
		kernel.GemmTN(part, g.x[lo*g.n:hi*g.n], y.Data[lo*y.Stride:hi*y.Stride], g.n, y.Stride, hi-lo)
	})
}

// RowsTo copies rows of G.
func (g *dense) RowsTo(dst []float64, lo int) { copy(dst, g.x[lo*g.n:]) }

// sumBlocks writes dst = Σ over blocks of n items of what f adds to a zero part; the parts are added in order.
func sumBlocks(dst []float64, blocks, n int, f func(part []float64, lo, hi int)) {
	parts := make([][]float64, blocks)
	par.For(blocks, func(b int) {
		parts[b] = dst
		if b > 0 {
			parts[b] = borrow[float64](len(dst))
		}
		clear(parts[b])
		lo, hi := par.Range(b, blocks, n)
		f(parts[b], lo, hi)
	})
	for _, part := range parts[1:] {
		kernel.Axpy(1, part, dst)
		repay(part)
	}
}
