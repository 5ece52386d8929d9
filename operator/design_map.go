package operator

import (
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// designMap is G = XᵀR through products with X and R, for a gradient that is too large to form.
type designMap struct {
	d *Design
	r []float64
}

// Dims is p, C.
func (g *designMap) Dims() (m, n int) { return g.d.x.p, g.d.outputs }

// MulTo is dst (p) = Xᵀ(R x).
func (g *designMap) MulTo(dst, x []float64) {
	d := g.d
	par.Accumulate(dst, 4, d.x.n, func(part []float64, lo, hi int) {
		rx := make([]float64, hi-lo)
		for i := range rx {
			rx[i] = kernel.Dot(g.r[(lo+i)*d.outputs:(lo+i+1)*d.outputs], x)
		}
		d.x.rows.tmul(part, rx, lo, hi, 1)
	})
}

// TMulTo is dst (C) = Rᵀ(X y).
func (g *designMap) TMulTo(dst, y []float64) {
	d := g.d
	par.Accumulate(dst, d.pieces(), d.x.n, func(part []float64, lo, hi int) {
		xy := make([]float64, hi-lo)
		d.x.rows.mul(xy, y, lo, hi, 1)
		for i, a := range xy {
			kernel.Axpy(a, g.r[(lo+i)*d.outputs:(lo+i+1)*d.outputs], part)
		}
	})
}

// RowsTo forms the rows of G from first on, as many as dst has room for, in a pass over the samples.
func (g *designMap) RowsTo(dst []float64, first int) {
	d := g.d
	n := len(dst) / d.outputs
	index := make([]int32, n)
	for t := range index {
		index[t] = int32(first + t)
	}
	par.Accumulate(dst, d.pieces(), d.x.n, func(part []float64, lo, hi int) {
		x := make([]float64, n)
		for i := lo; i < hi; i++ {
			d.x.rows.entries(x, i, index)
			for t, xt := range x {
				if xt != 0 {
					kernel.Axpy(xt, g.r[i*d.outputs:(i+1)*d.outputs], part[t*d.outputs:(t+1)*d.outputs])
				}
			}
		}
	})
}
