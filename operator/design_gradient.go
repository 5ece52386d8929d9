package operator

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A designGradient is what passes over the samples at a whole W share, in float32: X, and the sum and the work space of each block of samples.
type designGradient struct {
	d       *Design
	x       rows32
	centres *gcg.Factor32 // what is still to be taken off X, or nil
	parts   []*gradientPart
}

// A gradientPart is the sums over a block of samples, and the work space for one panel.
type gradientPart struct {
	g, z  []float32 // of the rows of W and of a panel's samples, k columns, k the stride of W
	room  []float32
	value float64
}

// Gradients centres a dense X by the mean of the centres, as what is large in common would cancel in float32. The rest of them is taken off W's predictions and the gradient.
func (d *Design) Gradients(centres *gcg.Factor) gcg.WholeGradient {
	h := &designGradient{d: d, parts: make([]*gradientPart, d.pieces())}
	if centres == nil {
		h.x = d.x.rows.single()
		return h
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
	return h
}

// GradientTo passes over the samples in panels that stay in the cache: z = X W, r in its place, and Xᵀr is added. 4pC flops for each
// sample of a dense X.
func (h *designGradient) GradientTo(g, w *gcg.Factor32, residual func(z []float32, lo int) float64) (value float64) {
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

// lowered is W for an X that is not centred: the constants are less what the centres predict.
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

// lower makes the gradient at an X that is not centred that at one which is.
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
