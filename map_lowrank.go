package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// LowRank is U Vᵀ, for U (m×k) and V (n×k), which are not copied. It has blocks, both products in one call, and rows; a product
// takes 2(m+n)k flops.
func LowRank(u, v *Factor) Map {
	if u.K != v.K {
		panic(fmt.Sprintf("gcg: factors of %d and %d columns have no product", u.K, v.K))
	}
	return &lowRankMap{u, v}
}

type lowRankMap struct{ u, v *Factor }

func (g *lowRankMap) Dims() (m, n int) { return g.u.Rows, g.v.Rows }

func (g *lowRankMap) MulTo(dst, x []float64) { productTo(dst, g.u, g.v, x) }

func (g *lowRankMap) TMulTo(dst, y []float64) { productTo(dst, g.v, g.u, y) }

// productTo writes dst = U (Vᵀx).
func productTo(dst []float64, u, v *Factor, x []float64) {
	sum := make([]float64, v.Stride)
	par.Accumulate(sum, rowBlocks(v.Rows, 2*v.Stride, 16), v.Rows, func(part []float64, lo, hi int) {
		for j := lo; j < hi; j++ {
			kernel.Axpy(x[j], v.Row(j), part)
		}
	})
	u.rowBlocks(2*u.Stride, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			dst[i] = kernel.Dot(u.Row(i)[:u.K], sum[:u.K])
		}
	})
}

func (g *lowRankMap) MulBlockTo(dst, x *Factor) { blockProductTo(dst, g.u, g.v, x) }

func (g *lowRankMap) TMulBlockTo(dst, y *Factor) { blockProductTo(dst, g.v, g.u, y) }

// blockProductTo writes dst = U (VᵀX).
func blockProductTo(dst, u, v, x *Factor) {
	s := TMul(v, x)
	dst.MulTo(u, s)
	Repay(s)
}

func (g *lowRankMap) BothTo(gv, gu, u, v *Factor) {
	g.MulBlockTo(gv, v)
	g.TMulBlockTo(gu, u)
}

func (g *lowRankMap) RowsTo(dst []float64, lo int) {
	n := g.v.Rows
	rows := len(dst) / n
	clear(dst)
	kernel.GemmNT(dst, g.u.Data[lo*g.u.Stride:(lo+rows)*g.u.Stride], g.v.Data, rows, n, g.u.Stride)
}
