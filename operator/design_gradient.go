package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A designGradient is what passes over the samples at a whole W share, in float32: X, 4np bytes for a dense one that is not in float32
// itself, and the sum and the work space of each block of samples.
type designGradient struct {
	d     *Design
	x     rows32
	parts []*gradientPart
	all   []float32 // n×C, predictions of all samples, once they were asked for
}

// A gradientPart is the sums over a block of samples, and the work space for one panel.
type gradientPart struct {
	g, z  []float32 // p×k and a panel's n×k, k the stride of W
	value float64
}

func (d *Design) Gradients() gcg.WholeGradient {
	return &designGradient{d: d, x: d.x.rows.single(), parts: make([]*gradientPart, d.pieces())}
}

// GradientTo passes over the samples in panels that stay in the cache: z = X W, r in its place, and Xᵀr is added. 4pC flops for each
// sample of a dense X.
func (h *designGradient) GradientTo(g, w *gcg.Factor32, residual func(z []float32, lo int) float64, absorb func(all []float32) float64) (value float64) {
	k, c := w.Stride, h.d.outputs
	if absorb == nil {
		h.panels(k, func(part *gradientPart, z []float32, lo, hi int) {
			h.x.mul(z, w.Data, lo, hi, k)
			narrowRows(z, c, k)
			part.value += residual(z[:(hi-lo)*c], lo*c)
			widenRows(z, c, k)
			h.x.tmul(part.g, z, lo, hi, k)
		})
	} else {
		value = h.absorbed(w, absorb)
	}
	clear(g.Data)
	for _, part := range h.parts {
		kernel.Axpy32(1, part.g, g.Data)
		clear(part.g)
		value += part.value
		part.value = 0
	}
	return value
}

// absorbed are the two passes with absorb between them.
func (h *designGradient) absorbed(w *gcg.Factor32, absorb func(all []float32) float64) float64 {
	k, c := w.Stride, h.d.outputs
	if h.all == nil {
		h.all = make([]float32, h.d.x.n*c)
	}
	h.panels(k, func(_ *gradientPart, z []float32, lo, hi int) {
		h.x.mul(z, w.Data, lo, hi, k)
		narrowRows(z, c, k)
		copy(h.all[lo*c:hi*c], z)
	})
	value := absorb(h.all)
	h.panels(k, func(part *gradientPart, z []float32, lo, hi int) {
		copy(z, h.all[lo*c:hi*c])
		widenRows(z, c, k)
		h.x.tmul(part.g, z, lo, hi, k)
	})
	return value
}

// panels calls f on panels of the samples of each part.
func (h *designGradient) panels(k int, f func(part *gradientPart, z []float32, lo, hi int)) {
	h.d.panels(len(h.parts), func(b, lo, hi int) {
		if h.parts[b] == nil {
			h.parts[b] = &gradientPart{g: make([]float32, h.d.x.p*k), z: make([]float32, samplePanel*k)}
		}
		f(h.parts[b], h.parts[b].z[:(hi-lo)*k], lo, hi)
	})
}

// narrowRows brings the first c of every k numbers together, at the start of z.
func narrowRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := range len(z) / k {
		copy(z[i*c:(i+1)*c], z[i*k:i*k+c])
	}
}

// widenRows takes narrowRows back, with zeros in between.
func widenRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := len(z)/k - 1; i >= 0; i-- {
		copy(z[i*k:i*k+c], z[i*c:(i+1)*c])
		clear(z[i*k+c : (i+1)*k])
	}
}
