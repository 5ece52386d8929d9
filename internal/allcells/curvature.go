package allcells

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// AlongTo writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, with R = -∇L at the point and the second derivative E of L along
// dU Vᵀ + U dVᵀ: 12k flops a click, and 12 (m+n) k² for the products of Gram matrices.
func (c *Cells) AlongTo(gu, gv, u, v, du, dv *gcg.Factor) { along(c, gu, gv, u, v, du, dv) }

// Along32To is AlongTo in float32.
func (c *Cells) Along32To(gu, gv, u, v, du, dv *gcg.Factor32) { along(c, gu, gv, u, v, du, dv) }

// along is AlongTo in the precision of the factors.
func along[P gcg.Real](c *Cells, gu, gv, u, v, du, dv *gcg.FactorOf[P]) {
	u, du = scaledRows(u, c.rowMul), scaledRows(du, c.rowMul)
	v, dv = scaledRows(v, c.colMul), scaledRows(dv, c.colMul)
	defer gcg.Repay(u, v, du, dv)
	at, bt := u, v // the point, for R
	if c.u != nil {
		at, bt = gcg.FactorIn[P](c.u), gcg.FactorIn[P](c.v)
	}
	r := c.rows
	e := make([]P, len(r.a)) // a times the change of X, on the clicks
	w := P(c.background)
	// E V = w₀ (dU VᵀV + U dVᵀV) + …, -R dV = w₀ U₀ (V₀ᵀ dV) - S dV
	dense := func(g, du, u, v, dv, at, bt *gcg.FactorOf[P]) {
		clear(g.Data)
		for i, term := range []struct{ left, a, b *gcg.FactorOf[P] }{{du, v, v}, {u, dv, v}, {at, bt, dv}} {
			if i == 2 && c.u == nil {
				continue // X = 0
			}
			small := gcg.TMul(term.a, term.b)
			small.Scale(w)
			g.AddMul(term.left, small)
			gcg.Repay(small)
		}
	}
	dense(gu, du, u, v, dv, at, bt)
	dense(gv, dv, v, u, du, bt, at)
	k := u.Stride
	eachBlock(r, func(s *scratch, d run, lo, first int) {
		t := e[first : first+len(d.index)]
		ptrs, other := spare[P](s)
		z := grown(ptrs, len(t))
		kernel.DotRows(t, du.Data[lo*k:], v.Data, k, d.ptr, d.index)
		kernel.DotRows(z, u.Data[lo*k:], dv.Data, k, d.ptr, d.index)
		for i, a := range d.a {
			t[i] = P(a) * (t[i] + z[i])
		}
		addSparse(gu, lo, v, dv, t, grown(other, len(t)), d)
	})
	eachBlock(c.cols, func(s *scratch, d run, lo, first int) {
		ptrs, other := spare[P](s)
		t := grown(ptrs, len(d.index))
		for i, at := range c.cols.from[first : first+len(t)] {
			t[i] = e[at]
		}
		addSparse(gv, lo, u, du, t, grown(other, len(t)), d)
	})
	scaleRows(gu, c.rowMul)
	scaleRows(gv, c.colMul)
}

// addSparse adds E V - S dV to the rows of g from lo on, for the clicks of a run: e are those of E, and buf is work space.
func addSparse[P gcg.Real](g *gcg.FactorOf[P], lo int, v, dv *gcg.FactorOf[P], e, buf []P, d run) {
	to := g.Data[lo*g.Stride:]
	kernel.GatherRows(to, v.Data, v.Stride, d.ptr, d.index, e)
	for i, s := range d.s {
		buf[i] = -P(s)
	}
	kernel.GatherRows(to, dv.Data, dv.Stride, d.ptr, d.index, buf)
}

// eachBlock calls f for each block of rows of a side: its clicks, its first row, and the place of its first click.
func eachBlock(s *side, f func(w *scratch, d run, lo, first int)) {
	blocks := s.blocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, len(s.ptr)-1)
		w := borrow()
		defer w.release()
		f(w, w.take(s, lo, hi), lo, int(s.ptr[lo]))
	})
}

// NormalTo writes gu = E V with the second derivative E of L along X Vᵀ: 4k flops a click.
func (c *Cells) NormalTo(gu, x, v *gcg.Factor) { normal(c, gu, x, v) }

// Normal32To is NormalTo in float32.
func (c *Cells) Normal32To(gu, x, v *gcg.Factor32) { normal(c, gu, x, v) }

// normal is NormalTo in the precision of the factors.
func normal[P gcg.Real](c *Cells, gu, x, v *gcg.FactorOf[P]) {
	x, v = scaledRows(x, c.rowMul), scaledRows(v, c.colMul)
	defer gcg.Repay(x, v)
	gram := gcg.TMul(v, v)
	gram.Scale(P(c.background))
	clear(gu.Data)
	gu.AddMul(x, gram)
	gcg.Repay(gram)
	k := x.Stride
	eachBlock(c.rows, func(s *scratch, d run, lo, _ int) {
		ptrs, _ := spare[P](s)
		t := grown(ptrs, len(d.index))
		kernel.DotRows(t, x.Data[lo*k:], v.Data, k, d.ptr, d.index)
		for i, a := range d.a {
			t[i] *= P(a)
		}
		kernel.GatherRows(gu.Data[lo*k:], v.Data, k, d.ptr, d.index, t)
	})
	scaleRows(gu, c.rowMul)
}

// DiagonalTo writes du_ic = Σⱼ αᵢ²βⱼ² c_ij v2_jc and dv_jc = Σᵢ αᵢ²βⱼ² c_ij u2_ic over all cells; dv may be nil.
func (c *Cells) DiagonalTo(du, dv, u2, v2 *gcg.Factor) {
	rows, cols := squares(c.rowMul), squares(c.colMul)
	c.rows.diagonalTo(du, v2, rows, cols, c.background)
	if dv != nil {
		c.cols.diagonalTo(dv, u2, cols, rows, c.background)
	}
}

// diagonalTo is one of the two.
func (s *side) diagonalTo(du, v2 *gcg.Factor, own, other []float64, background float64) {
	v := scaledRows(v2, other)
	defer gcg.Repay(v)
	all := make([]float64, v.Stride)
	par.Accumulate(all, par.Grain(v.Rows, 512, 8), v.Rows, func(sum []float64, lo, hi int) {
		for j := lo; j < hi; j++ {
			kernel.Axpy(background, v.Row(j), sum)
		}
	})
	blocks := s.blocks()
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, du.Rows)
		for i := lo; i < hi; i++ {
			copy(du.Row(i), all)
		}
		kernel.GatherRows(du.Data[lo*du.Stride:], v.Data, v.Stride, s.ptr[lo:hi+1], s.index, s.a)
	})
	scaleRows(du, own)
}

// squares are those of scales, or nil.
func squares(x []float64) []float64 {
	if x == nil {
		return nil
	}
	y := make([]float64, len(x))
	kernel.Hadamard(y, x, x)
	return y
}
