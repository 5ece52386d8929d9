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

// sumBlocks does so where every block adds to a sum of its own.
func (g *dense) sumBlocks() int { return par.Grain(g.m, max(1, 1<<17/g.n), 8) }

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
	par.Accumulate(dst, g.sumBlocks(), g.m, func(part []float64, lo, hi int) {
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
	par.Accumulate(dst.Data, g.sumBlocks(), g.m, func(part []float64, lo, hi int) {
		kernel.GemmTN(part, g.x[lo*g.n:hi*g.n], y.Data[lo*y.Stride:hi*y.Stride], g.n, y.Stride, hi-lo)
	})
}

// RowsTo copies rows of G.
func (g *dense) RowsTo(dst []float64, lo int) { copy(dst, g.x[lo*g.n:]) }
