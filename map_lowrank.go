package gcg

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
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

// SquaredNorm is ‖G‖_F², by the method of this name where G has one, as sparse maps do, and else with as little written out as
// InnerProduct does.
func SquaredNorm(g Map) float64 {
	if n, ok := g.(interface{ SquaredNorm() float64 }); ok {
		return n.SquaredNorm()
	}
	switch a := plain(g).(type) {
	case *scaledMap:
		return a.c * a.c * SquaredNorm(a.g)
	case *sumMap:
		var s float64
		for i, part := range a.parts {
			s += SquaredNorm(part)
			for _, other := range a.parts[:i] {
				s += 2 * InnerProduct(other, part)
			}
		}
		return s
	}
	return InnerProduct(g, g)
}

// InnerProduct is ⟨G, H⟩ = Σ G_ij H_ij of maps of one size. Sums and multiples are taken apart; a LowRank part costs one product
// of the other with its k columns. Only where two other maps meet are both written out, some rows at a time: mn flops, where they
// are DenseMaps, and else 2m products.
func InnerProduct(g, h Map) float64 {
	for _, pair := range [][2]Map{{g, h}, {h, g}} {
		switch a := plain(pair[0]).(type) {
		case *scaledMap:
			return a.c * InnerProduct(a.g, pair[1])
		case *sumMap:
			var s float64
			for _, part := range a.parts {
				s += InnerProduct(part, pair[1])
			}
			return s
		}
	}
	for _, pair := range [][2]Map{{g, h}, {h, g}} {
		if a, ok := plain(pair[0]).(*lowRankMap); ok {
			hv := Room[float64](a.u.Rows, a.u.K)
			defer Repay(hv)
			MulBlock(pair[1], hv, a.v)
			return a.u.Dot(hv)
		}
	}
	return innerByRows(g, h)
}

// plain is the map behind one that keep has narrowed.
func plain(g Map) Map {
	if k, ok := g.(interface{ whole() Map }); ok {
		return k.whole()
	}
	return g
}

// innerByRows is ⟨G, H⟩ from their rows, about 2¹⁶ entries at a time.
func innerByRows(g, h Map) float64 {
	m, n := g.Dims()
	step := max(1, (1<<16)/max(n, 1))
	buf := memory.Borrow[float64](2 * step * n)
	defer memory.Repay(buf)
	var s float64
	for lo := 0; lo < m; lo += step {
		size := (min(lo+step, m) - lo) * n
		a, b := buf[:size], buf[step*n:step*n+size]
		RowsTo(g, a, lo)
		RowsTo(h, b, lo)
		s += kernel.Dot(a, b)
	}
	return s
}
