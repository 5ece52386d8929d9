package coordinate

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// packed are the sparse columns of a model whose blocks are one entry each, side by side: a sweep over columns of ten values is
// bound by the way to each of them, not by the values.
type packed struct {
	b      *direct
	start  []int32 // column t has the values start[t] … start[t+1]-1
	index  []int32
	values []float64
	lines  []line
}

// A line is what a step on one entry reads.
type line struct {
	up, down float64 // κ of 1 and of -1
	curve    float64
	mean     float64 // of the column, still to be taken off
	total    float64
	constant int
}

// mostPacked bounds the values of packed columns, which are numbered in 32 bits.
const mostPacked = math.MaxInt32

// pack is the columns of a model side by side: a copy, or values where they are so already. It is nil where a block has several
// entries or a column is dense.
func (b *direct) pack(m *model, values []float64) *packed {
	total := 0
	for i := range b.columns {
		if b.columns[i].index == nil {
			return nil
		}
		total += len(b.columns[i].index)
	}
	if len(m.x) != len(m.blocks) || total > mostPacked {
		return nil
	}
	p := &packed{b: b, start: make([]int32, 1, len(m.x)+1), index: make([]int32, 0, total), values: values,
		lines: make([]line, len(m.x))}
	if values == nil {
		p.values = make([]float64, 0, total)
	}
	for i := range b.columns {
		c, k := &b.columns[i], &m.u.blocks[m.blocks[i]]
		for _, row := range c.index {
			p.index = append(p.index, row+int32(c.from))
		}
		if values == nil {
			p.values = append(p.values, c.values...)
		}
		p.start = append(p.start, int32(len(p.index)))
		p.lines[i] = line{k.up, k.down, m.shapes[i].curve, c.mean, c.total, c.constant}
	}
	return p
}

// sweep is that of the model.
func (p *packed) sweep(m *model, blocks []int) (gap float64, moved bool) {
	var worst, kappa float64
	b, u := p.b, p.b.u[:p.b.n]
	for _, t := range blocks {
		l := &p.lines[t]
		if l.curve <= 0 {
			m.flatten(t)
			continue
		}
		lo, hi := p.start[t], p.start[t+1]
		index, values := p.index[lo:hi], p.values[lo:hi]
		x := m.x[t]
		g := b.g0[t] - m.mu*(x-m.x0[t]) - b.d.c*(kernel.DotSparse(u, index, values)-l.mean*b.u[b.n+l.constant])
		m.work += float64(len(values))
		next, weight := 0.0, l.up
		if x < 0 {
			weight = l.down
		}
		if x != 0 {
			rho := weight * math.Abs(x)
			gap += m.lambda*rho - x*g
			kappa += rho
		}
		if y := l.curve*x + g; y > m.lambda*l.up {
			next, weight = (y-m.lambda*l.up)/l.curve, l.up
		} else if y < -m.lambda*l.down {
			next, weight = (y+m.lambda*l.down)/l.curve, l.down
		}
		if next == x {
			continue
		}
		by := next - x
		m.x[t] = next
		kernel.AxpySparse(u, by, index, values)
		b.u[b.n+l.constant] += by * l.mean * l.total
		m.work += float64(len(values))
		worst = math.Max(worst, math.Abs(by)*l.curve/weight)
		moved = true
	}
	return math.Max(gap, 0) + worst*kappa, moved
}
