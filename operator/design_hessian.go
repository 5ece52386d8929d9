package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// HessianTo passes over the samples in panels that stay in the cache: with T = X dU and S = X U it forms
// z = T Vᵀ + S dVᵀ, lets hess replace z by H z, and adds Xᵀ(z V) to gu and zᵀS to gv. 2k(3p + 4C) flops for each sample of a dense X,
// and no vector of predictions.
//
// The products are in float32: a direction needs no more, and they are twice as fast.
func (d *Design) HessianTo(gu, gv, u, v, du, dv *gcg.Factor, hess func(z []float64, lo int)) {
	all := factorsIn[float32]([]*gcg.Factor{u, v, du, dv})
	f := narrowFactors{all[0], all[1], all[2], all[3], u.Stride}
	blocks := d.pieces()
	parts := make([]*hessianPart, blocks)
	par.For(blocks, func(b int) {
		lo, hi := par.Range(b, blocks, d.x.n)
		parts[b] = newHessianPart(d, u.Stride)
		for at := lo; at < hi; at += hessianPanel {
			parts[b].add(d, f, at, min(at+hessianPanel, hi), hess)
		}
	})
	clear(gu.Data)
	clear(gv.Data)
	for _, part := range parts {
		addBlock(gu, 0, part.gu)
		addBlock(gv, 0, part.gv)
	}
	for _, x := range all {
		giveBack(x)
	}
}

// hessianPanel is the number of samples of a panel: with 500 classes its predictions are 256 kB.
const hessianPanel = 128

// narrowFactors are U, V and their directions in float32, with k columns.
type narrowFactors struct {
	u, v, du, dv []float32
	k            int
}

// A hessianPart is the sum over a block of samples, and the work space for one panel.
type hessianPart struct {
	gu, gv     []float32
	t, s, y, z []float32
	wide       []float64
}

func newHessianPart(d *Design, k int) *hessianPart {
	side := func(n int) []float32 { return make([]float32, n) }
	return &hessianPart{gu: side(d.x.p * k), gv: side(d.outputs * k), t: side(hessianPanel * k), s: side(hessianPanel * k),
		y: side(hessianPanel * k), z: side(hessianPanel * d.outputs), wide: make([]float64, hessianPanel*d.outputs)}
}

func (h *hessianPart) add(d *Design, f narrowFactors, lo, hi int, hess func(z []float64, lo int)) {
	n, c, k := hi-lo, d.outputs, f.k
	t, s, y, z, wide := h.t[:n*k], h.s[:n*k], h.y[:n*k], h.z[:n*c], h.wide[:n*c]
	d.x.rows.mul32(t, f.du, lo, hi, k)
	d.x.rows.mul32(s, f.u, lo, hi, k)
	clear(z)
	kernel.GemmNT32(z, t, f.v, n, c, k)
	kernel.GemmNT32(z, s, f.dv, n, c, k)
	for i, v := range z {
		wide[i] = float64(v)
	}
	hess(wide, lo*c)
	narrow(z, wide)
	clear(y)
	kernel.GemmNN32(y, z, f.v, n, k, c)
	d.x.rows.tmul32(h.gu, y, lo, hi, k)
	kernel.GemmTN32(h.gv, z, s, c, k, n)
}
