package allcells

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// Move goes to W = U Vᵀ and returns L; nil factors, or k = 0, stand for W = 0. It takes 2k flops a click and (m+n)k² for the Gram
// matrices.
func (c *Cells) Move(u, v *gcg.Factor) float64 {
	r := c.rows
	if u == nil || u.K == 0 {
		c.u, c.v = nil, nil
		for e, a := range r.a {
			r.s[e] = a + c.background
		}
		c.rr, c.ry = c.total, c.total
	} else {
		c.u, c.v = scaledRows(u, c.rowMul), scaledRows(v, c.colMul)
		c.evaluate()
	}
	t := c.cols
	par.Pieces(len(t.s), func(lo, hi int) {
		for e := lo; e < hi; e++ {
			t.s[e] = r.s[t.from[e]]
		}
	})
	return math.Max(c.rr, 0) / 2 // a difference of squares, below 0 by rounding where all is met
}

// evaluate fills in S by rows and the sums at the factors.
func (c *Cells) evaluate() {
	r, k := c.rows, c.u.Stride
	blocks := c.rows.blocks()
	fitted := make([]float64, blocks)
	square := par.Sum(blocks, func(b int) (rr float64) {
		lo, hi := par.Range(b, blocks, c.m)
		kernel.DotRows(r.s, c.u.Data[lo*k:], c.v.Data, k, r.ptr[lo:hi+1], r.index)
		for e := r.ptr[lo]; e < r.ptr[hi]; e++ {
			x, a := r.s[e], r.a[e]
			w := a + c.background
			s := w - a*x
			r.s[e] = s
			rr -= x * (w + s)
			fitted[b] += w * x
		}
		return rr
	})
	c.rr = c.total + square + c.background*product(gcg.TMul(c.u, c.u), gcg.TMul(c.v, c.v))
	c.ry = c.total
	for _, x := range fitted {
		c.ry -= x
	}
}

// product is ⟨G, H⟩ of two Gram matrices.
func product(g, h *gcg.Factor) float64 { return kernel.Dot(g.Data, h.Data) }

// Cross returns ⟨x, y⟩ with the weights c for x = X of U Vᵀ and y of P Qᵀ: xx, xy and yy. It takes 4k flops a click.
func (c *Cells) Cross(u, v, p, q *gcg.Factor) (xx, xy, yy float64) {
	u, v, p, q = scaledRows(u, c.rowMul), scaledRows(v, c.colMul), scaledRows(p, c.rowMul), scaledRows(q, c.colMul)
	defer gcg.Repay(u, v, p, q)
	r, blocks := c.rows, c.rows.blocks()
	part := make([][2]float64, blocks)
	xx = par.Sum(blocks, func(b int) (xx float64) {
		lo, hi := par.Range(b, blocks, c.m)
		w := borrow()
		defer w.release()
		d := w.take(r, lo, hi)
		x, y := grown(&w.x, len(d.index)), grown(&w.y, len(d.index))
		kernel.DotRows(x, u.Data[lo*u.Stride:], v.Data, u.Stride, d.ptr, d.index)
		kernel.DotRows(y, p.Data[lo*p.Stride:], q.Data, p.Stride, d.ptr, d.index)
		for e, a := range d.a {
			xx += a * x[e] * x[e]
			part[b][0] += a * x[e] * y[e]
			part[b][1] += a * y[e] * y[e]
		}
		return xx
	})
	for _, sum := range part {
		xy += sum[0]
		yy += sum[1]
	}
	w := c.background
	return xx + w*product(gcg.TMul(u, u), gcg.TMul(v, v)), xy + w*product(gcg.TMul(u, p), gcg.TMul(v, q)),
		yy + w*product(gcg.TMul(p, p), gcg.TMul(q, q))
}

// scaledRows is diag(by) F in a new factor; a nil by stands for ones.
func scaledRows[T gcg.Real](f *gcg.FactorOf[T], by []float64) *gcg.FactorOf[T] {
	g := f.Clone()
	scaleRows(g, by)
	return g
}

// scaleRows overwrites F with diag(by) F; a nil by stands for ones.
func scaleRows[T gcg.Real](f *gcg.FactorOf[T], by []float64) {
	if by == nil {
		return
	}
	f.RowBlocks(func(lo, hi int) {
		for i := lo; i < hi; i++ {
			kernel.Scale(T(by[i]), f.Row(i))
		}
	})
}
