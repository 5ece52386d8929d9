package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A designGradient computes gradients at W that are kept whole, in float32, see view.WholeOperator. Its passes over the
// samples share X in float32, and the sum and the work space of each block of samples.
type designGradient struct {
	d       *Design
	x       rows32
	centres *gcg.Factor32   // p×C, what is still to be taken off the features for each output; nil without an intercept
	parts   []*gradientPart // of each block of samples; nil before the first pass
}

// A gradientPart is the sums over a block of samples, and the work space for one panel. k is the stride of W.
type gradientPart struct {
	g     []float32 // the gradient, with the rows of W and k columns
	z     []float32 // the predictions of a panel, samples × k
	room  []float32 // of the panel of X
	value float64   // the sum of what residual returned
}

// Gradients keeps X in float32, see view.WholeOperator. From a dense X it takes the mean over the outputs of the centres: what is
// large in all features would cancel in float32. What is left of the centres is taken off the predictions and the gradient.
func (d *Design) Gradients(centres *gcg.Factor) gcg.WholeGradient {
	h := &designGradient{d: d, parts: make([]*gradientPart, d.pieces())}
	if centres == nil {
		h.x = d.x.rows.single()
		return h.gradientTo
	}
	mean := make([]float64, d.x.p)
	for j := range mean {
		for _, x := range centres.Row(j)[:d.outputs] {
			mean[j] += x / float64(d.outputs)
		}
	}
	x, centred := d.x.rows.centred(mean)
	h.x, h.centres = withOnes{x, d.x.p}, gcg.NewFactorOf[float32](d.x.p, d.outputs)
	for j, m := range mean {
		if !centred {
			m = 0
		}
		for c, x := range centres.Row(j)[:d.outputs] {
			h.centres.Row(j)[c] = float32(x - m)
		}
	}
	return h.gradientTo
}

// gradientTo overwrites g with Xᵀr at the predictions z = X W, of which residual makes r, see gcg.WholeGradient. It passes
// over the samples once, in panels that stay in the cache: 4pC flops for each sample of a dense X.
func (h *designGradient) gradientTo(g, w *gcg.Factor32, residual func(z []float32, lo int) float64) (value float64) {
	k, c := w.Stride, h.d.outputs
	w = h.lowered(w)
	h.d.panels(len(h.parts), func(b, lo, hi int) {
		if h.parts[b] == nil {
			h.parts[b] = &gradientPart{g: make([]float32, len(w.Data)), z: make([]float32, samplePanel*k)}
		}
		part := h.parts[b]
		z := part.z[:(hi-lo)*k]
		x := h.x.panel(lo, hi, &part.room)
		x.mul(z, w.Data, k)
		narrowRows(z, c, k)
		part.value += residual(z[:(hi-lo)*c], lo*c)
		widenRows(z, c, k)
		x.tmul(part.g, z, k)
	})
	clear(g.Data)
	for _, part := range h.parts {
		kernel.Axpy(1, part.g, g.Data)
		clear(part.g)
		value += part.value
		part.value = 0
	}
	h.lower(g)
	return value
}

// lowered is W as it is for the X that is kept: what the rest of the centres predict is taken off the constants in the last
// row. It is W itself without centres.
func (h *designGradient) lowered(w *gcg.Factor32) *gcg.Factor32 {
	if h.centres == nil {
		return w
	}
	w = w.Clone()
	b := w.Row(h.centres.Rows)
	for j := range h.centres.Rows {
		for c, m := range h.centres.Row(j) {
			b[c] -= m * w.Row(j)[c]
		}
	}
	return w
}

// lower makes g, the gradient at the X that is kept, the gradient at the centred X: it takes the rest of the centres, times
// the last row of g, off the other rows.
func (h *designGradient) lower(g *gcg.Factor32) {
	if h.centres == nil {
		return
	}
	b := g.Row(h.centres.Rows)
	for j := range h.centres.Rows {
		for c, m := range h.centres.Row(j) {
			g.Row(j)[c] -= m * b[c]
		}
	}
}

// narrowRows moves the first c of every k numbers together, to the start of z.
func narrowRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := range len(z) / k {
		copy(z[i*c:(i+1)*c], z[i*k:i*k+c])
	}
}

// widenRows undoes narrowRows, with zeros in between.
func widenRows(z []float32, c, k int) {
	if c == k {
		return
	}
	for i := len(z)/k - 1; i >= 0; i-- {
		copy(z[i*k:i*k+c], z[i*c:(i+1)*c])
		clear(z[i*k+c : (i+1)*k])
	}
}
