package operator

import (
	"sync"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// dense is a matrix G (m×n, row-major in x) as a map.
type dense struct {
	m, n int
	x    []float64
}

// Dims is m, n.
func (g *dense) Dims() (m, n int) { return g.m, g.n }

// row is row i, not copied.
func (g *dense) row(i int) []float64 { return g.x[i*g.n : (i+1)*g.n] }

// rowBlocks is the number of blocks that rows are cut into, each worth a goroutine.
func (g *dense) rowBlocks() int { return par.Grain(g.m, max(1, 1<<15/g.n), 64) }

// sumBlocks is the number of blocks of rows where each block adds to a sum of its own, which takes time to clear and to add.
func (g *dense) sumBlocks() int { return par.Grain(g.m, max(1, 1<<17/g.n), 8) }

// MulTo is dst (m) = G x (n).
func (g *dense) MulTo(dst, x []float64) {
	blocks := g.rowBlocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, g.m)
		for i := lo; i < hi; i++ {
			dst[i] = kernel.Dot(g.row(i), x)
		}
	})
}

// TMulTo is dst (n) = Gᵀ y (m).
func (g *dense) TMulTo(dst, y []float64) {
	par.Accumulate(dst, g.sumBlocks(), g.m, func(part []float64, lo, hi int) {
		kernel.AxpyRows(y[lo:hi], g.x[lo*g.n:hi*g.n], part)
	})
}

// MulBlockTo is dst (m×k) = G x (n×k).
func (g *dense) MulBlockTo(dst, x *gcg.Factor) {
	clear(dst.Data)
	blocks := g.rowBlocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, g.m)
		kernel.GemmNN(dst.Data[lo*dst.Stride:hi*dst.Stride], g.x[lo*g.n:hi*g.n], x.Data, hi-lo, dst.Stride, g.n)
	})
}

// TMulBlockTo is dst (n×k) = Gᵀ y (m×k).
func (g *dense) TMulBlockTo(dst, y *gcg.Factor) {
	par.Accumulate(dst.Data, g.sumBlocks(), g.m, func(part []float64, lo, hi int) {
		kernel.GemmTN(part, g.x[lo*g.n:hi*g.n], y.Data[lo*y.Stride:hi*y.Stride], g.n, y.Stride, hi-lo)
	})
}

// BothTo is gv (m×k) = G v (n×k) and gu (n×k) = Gᵀ u (m×k).
func (g *dense) BothTo(gv, gu, u, v *gcg.Factor) {
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
}

// RowsTo copies the rows of G from lo on, as many as dst has room for.
func (g *dense) RowsTo(dst []float64, lo int) { copy(dst, g.x[lo*g.n:]) }

// formed is a dense map that form computes when it is first used.
type formed struct {
	m, n int
	form func() *dense
	once sync.Once
	g    *dense
}

// get is the map, which the first call computes.
func (f *formed) get() *dense {
	f.once.Do(func() { f.g = f.form() })
	return f.g
}

func (f *formed) Dims() (m, n int)                { return f.m, f.n }
func (f *formed) MulTo(dst, x []float64)          { f.get().MulTo(dst, x) }
func (f *formed) TMulTo(dst, y []float64)         { f.get().TMulTo(dst, y) }
func (f *formed) MulBlockTo(dst, x *gcg.Factor)   { f.get().MulBlockTo(dst, x) }
func (f *formed) TMulBlockTo(dst, y *gcg.Factor)  { f.get().TMulBlockTo(dst, y) }
func (f *formed) BothTo(gv, gu, u, v *gcg.Factor) { f.get().BothTo(gv, gu, u, v) }
func (f *formed) RowsTo(dst []float64, first int) { f.get().RowsTo(dst, first) }

// SquaredNorm is ‖G‖_F².
func (g *dense) SquaredNorm() float64  { return kernel.SumSq(g.x) }
func (f *formed) SquaredNorm() float64 { return f.get().SquaredNorm() }
