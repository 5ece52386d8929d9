package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A designHessian is the second derivative at U Vᵀ in float32, with what its products share: X, S = X U, V and Vᵀ. S takes
// 4nk bytes.
type designHessian struct {
	d     *Design
	x     rows32
	k     int            // the stride of U and V
	s     []float32      // n×k
	v, vt []float32      // C×k and k×C
	parts []*hessianPart // of each block of samples; nil before the first product
	all   []float32      // n×C, H z of all samples; nil before it is asked for
}

// HessianAt forms X U in float32: 2pk flops for each sample of a dense X.
func (d *Design) HessianAt(u, v *gcg.Factor) gcg.FactorHessian {
	h := &designHessian{d: d, x: d.x.rows.single(), k: u.Stride, v: narrowed(v.Data), vt: transposed32(v)}
	h.s = make([]float32, d.x.n*h.k)
	left := narrowed(u.Data)
	rooms := make([][]float32, d.pieces())
	d.panels(len(rooms), func(b, lo, hi int) { h.x.panel(lo, hi, &rooms[b]).mul(h.s[lo*h.k:hi*h.k], left, h.k) })
	return h.productTo
}

// transposed32 is Fᵀ in float32, with a row for each column of the storage, padding too.
func transposed32[T gcg.Real](f *gcg.FactorOf[T]) []float32 {
	x := make([]float32, len(f.Data))
	for i := range f.Rows {
		for c, v := range f.Data[i*f.Stride : (i+1)*f.Stride] {
			x[c*f.Rows+i] = float32(v)
		}
	}
	return x
}

// productTo writes gu = E V and gv = Eᵀ U, see gcg.FactorHessian. It passes over the samples in panels that stay in the cache.
// With T = X dU it forms z = T Vᵀ + S dVᵀ, lets hess replace z by H z, and adds Xᵀ(z V) to gu and zᵀS to gv. That takes 2k(2p +
// 4C) flops for each sample of a dense X. Only where absorb is called, between two passes, are there predictions of all samples.
func (h *designHessian) productTo(gu, gv, du, dv *gcg.Factor32, hess func(z []float32, lo int), absorb func(all []float32)) {
	right := transposed32(dv)
	if h.parts == nil {
		h.parts = make([]*hessianPart, h.d.pieces())
	}
	if absorb == nil {
		h.panels(func(part *hessianPart, lo, hi int) {
			z := part.z[:(hi-lo)*h.d.outputs]
			x := h.x.panel(lo, hi, &part.room)
			part.predict(h, x, z, du.Data, right, lo, hi)
			hess(z, lo*h.d.outputs)
			part.add(h, x, z, lo, hi)
		})
	} else {
		h.absorbed(du.Data, right, hess, absorb)
	}
	clear(gu.Data)
	clear(gv.Data)
	for _, part := range h.parts {
		kernel.Axpy(1, part.gu, gu.Data)
		kernel.Axpy(1, part.gv, gv.Data)
		clear(part.gu)
		clear(part.gv)
	}
}

// absorbed makes the two passes, the first to H z of all samples and the second to gu and gv, and calls absorb between them.
func (h *designHessian) absorbed(left, right []float32, hess func(z []float32, lo int), absorb func(all []float32)) {
	c := h.d.outputs
	if h.all == nil {
		h.all = make([]float32, h.d.x.n*c)
	}
	h.panels(func(part *hessianPart, lo, hi int) {
		z := h.all[lo*c : hi*c]
		part.predict(h, h.x.panel(lo, hi, &part.room), z, left, right, lo, hi)
		hess(z, lo*c)
	})
	absorb(h.all)
	h.panels(func(part *hessianPart, lo, hi int) {
		part.add(h, h.x.panel(lo, hi, &part.room), h.all[lo*c:hi*c], lo, hi)
	})
}

// panels calls f on panels of samples, each with the part that its block adds to.
func (h *designHessian) panels(f func(part *hessianPart, lo, hi int)) {
	h.d.panels(len(h.parts), func(b, lo, hi int) {
		if h.parts[b] == nil {
			h.parts[b] = h.newPart()
		}
		f(h.parts[b], lo, hi)
	})
}

// A hessianPart is the sums over a block of samples, and the work space for one panel.
type hessianPart struct {
	gu, gv []float32 // p×k and C×k
	t      []float32 // T or z V, samples × k
	z      []float32 // samples × C
	room   []float32 // of the panel of X
}

// newPart is a part of zeros.
func (h *designHessian) newPart() *hessianPart {
	side := func(n int) []float32 { return make([]float32, n) }
	return &hessianPart{side(h.d.x.p * h.k), side(h.d.outputs * h.k), side(samplePanel * h.k), side(samplePanel * h.d.outputs), nil}
}

// predict writes z = X dU Vᵀ + S dVᵀ for the samples lo ≤ i < hi, x being their panel, left dU (p×k) and right dVᵀ (k×C).
func (part *hessianPart) predict(h *designHessian, x panel32, z, left, right []float32, lo, hi int) {
	n, c, k := hi-lo, h.d.outputs, h.k
	t := part.t[:n*k]
	x.mul(t, left, k)
	clear(z)
	kernel.GemmNN(z, t, h.vt, n, c, k)
	kernel.GemmNN(z, h.s[lo*k:hi*k], right, n, c, k)
}

// add adds Xᵀ(z V) to gu and zᵀS to gv for the samples lo ≤ i < hi, x being their panel.
func (part *hessianPart) add(h *designHessian, x panel32, z []float32, lo, hi int) {
	n, c, k := hi-lo, h.d.outputs, h.k
	t := part.t[:n*k]
	clear(t)
	kernel.GemmNN(t, z, h.v, n, k, c)
	x.tmul(part.gu, t, k)
	kernel.GemmTN(part.gv, z, h.s[lo*k:hi*k], c, k, n)
}
