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
	f := narrowFactors{beside32(du, u), beside32(v, dv), gcg.FactorIn[float32](v).Data, u.Stride}
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
		addWidened(gu.Data, part.gu)
		addWidened(gv.Data, part.gv)
	}
}

// hessianPanel is the number of samples of a panel: with 500 classes its predictions are 256 kB.
const hessianPanel = 128

// narrowFactors are the factors and their directions in float32.
type narrowFactors struct {
	left, right []float32 // [dU U] and [V dV], of 2k columns: one product takes both
	v           []float32
	k           int
}

// addWidened adds y to x.
func addWidened(x []float64, y []float32) {
	for i, v := range y {
		x[i] += float64(v)
	}
}

// beside32 is [F G].
func beside32(f, g *gcg.Factor) []float32 {
	k := f.Stride
	x := make([]float32, 2*k*f.Rows)
	for i := range f.Rows {
		narrow(x[2*k*i:2*k*i+k], f.Data[i*k:(i+1)*k])
		narrow(x[2*k*i+k:2*k*(i+1)], g.Data[i*k:(i+1)*k])
	}
	return x
}

// A hessianPart is the sum over a block of samples, and the work space for one panel: [T S], S, Z V and Z.
type hessianPart struct {
	gu, gv      []float32
	ts, s, y, z []float32
	wide        []float64
	x           panel32
}

func newHessianPart(d *Design, k int) *hessianPart {
	side := func(n int) []float32 { return make([]float32, n) }
	return &hessianPart{gu: side(d.x.p * k), gv: side(d.outputs * k), ts: side(hessianPanel * 2 * k), s: side(hessianPanel * k),
		y: side(hessianPanel * k), z: side(hessianPanel * d.outputs), wide: make([]float64, hessianPanel*d.outputs)}
}

func (h *hessianPart) add(d *Design, f narrowFactors, lo, hi int, hess func(z []float64, lo int)) {
	n, c, k := hi-lo, d.outputs, f.k
	ts, s, y, z, wide := h.ts[:n*2*k], h.s[:n*k], h.y[:n*k], h.z[:n*c], h.wide[:n*c]
	d.x.rows.mul32(&h.x, ts, f.left, lo, hi, 2*k)
	for i := range n {
		copy(s[i*k:(i+1)*k], ts[2*k*i+k:])
	}
	clear(z)
	kernel.GemmNT32(z, ts, f.right, n, c, 2*k)
	for i, v := range z {
		wide[i] = float64(v)
	}
	hess(wide, lo*c)
	narrow(z, wide)
	clear(y)
	kernel.GemmNN32(y, z, f.v, n, k, c)
	d.x.rows.tmul32(&h.x, h.gu, y, lo, hi, k)
	kernel.GemmTN32(h.gv, z, s, c, k, n)
}
