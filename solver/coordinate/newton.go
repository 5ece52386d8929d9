package coordinate

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A newtonClock says when a Newton step on the blocks that are not 0 is worth its time: they have been the same for a cycle, and
// cycles since the last have taken as long as the step does.
type newtonClock struct {
	free  []int
	spent float64
}

// newtonFlops are how many flops of a factorization take the time of a value that is read.
const newtonFlops = 8

// due takes the blocks that are not 0 and what the last cycle read.
func (c *newtonClock) due(m *model, free []int, work float64) bool {
	same := slices.Equal(free, c.free)
	c.free = free
	c.spent += work
	w := m.width(free)
	if _, ok := m.products.(*byGram); !ok || !same || w == 0 || c.spent < math.Pow(float64(w), 3)/3/newtonFlops {
		return false
	}
	c.spent = 0
	return true
}

// width is the number of entries of some blocks.
func (m *model) width(blocks []int) (w int) {
	for _, t := range blocks {
		w += m.start[t+1] - m.start[t]
	}
	return w
}

// newton solves for the blocks that are not 0 as if no entry of theirs changed its sign,
//
//	(X̃ᵀX̃ + λ∇²κ) d = g - λ∇κ,
//
// and goes there, or as far as the first block of one entry that comes to 0, if the model falls.
func (m *model) newton(ctx context.Context, free []int) {
	d, entries := m.newtonStep(ctx, free)
	if d == nil {
		return
	}
	before, x, image := m.objective(), slices.Clone(m.x), slices.Clone(m.image())
	if m.moveFree(entries, d, 1) < before {
		return
	}
	to := 1.0
	for i, e := range entries.own {
		if entries.single[i] && (x[e]+d[i])*x[e] < 0 {
			to = math.Min(to, -x[e]/d[i])
		}
	}
	copy(m.x, x)
	copy(m.image(), image)
	if to < 1 && !(m.moveFree(entries, d, to) < before) {
		copy(m.x, x)
		copy(m.image(), image)
	}
}

// moveFree moves the entries of free blocks by part of d, and returns the objective there. Where a single one comes to 0 by
// rounding it is 0.
func (m *model) moveFree(at freeEntries, d []float64, part float64) float64 {
	for i, e := range at.own {
		next := m.x[e] + part*d[i]
		if at.single[i] && math.Abs(next) <= view.DomainRounding*math.Abs(m.x[e]) {
			next = 0
		}
		m.move(at.all[i], next-m.x[e])
		m.x[e] = next
	}
	return m.objective()
}

// freeEntries are the entries of the blocks that are not 0: in the model, in the set, and whether they are a block each.
type freeEntries struct {
	own, all []int
	single   []bool
}

// newtonStep is d, or nil where the gauge has no derivatives there or the matrix is not positive definite.
func (m *model) newtonStep(ctx context.Context, free []int) (d []float64, at freeEntries) {
	smooth := view.OfGauge(m.u.gauge).SmoothBlocks
	for _, t := range free {
		lo := m.u.blocks[m.blocks[t]].lo
		for i := m.start[t]; i < m.start[t+1]; i++ {
			at.own, at.all = append(at.own, i), append(at.all, lo+i-m.start[t])
			at.single = append(at.single, m.start[t+1]-m.start[t] == 1)
		}
	}
	n := len(at.own)
	l := linalg.NewLower(n)
	for i := range n {
		for j := range i + 1 {
			l.Row(i, j)[j%linalg.PanelWidth] = m.between(at.all[i], at.all[j])
		}
		l.Row(i, i)[i%linalg.PanelWidth] += m.mu
	}
	d = make([]float64, n)
	first := 0
	for _, t := range free {
		x := m.x[m.start[t]:m.start[t+1]]
		w := len(x)
		grad, hess := make([]float64, w), make([]float64, w*w)
		if smooth == nil || !smooth.BlockSlopeTo(grad, hess, x, m.u.blocks[m.blocks[t]].key, m.lambda) {
			return nil, at
		}
		for i := range w {
			d[first+i] = m.slopeAt(at.all[first+i], at.own[first+i])
			for j := range i + 1 {
				l.Row(first+i, first+j)[(first+j)%linalg.PanelWidth] += hess[i*w+j]
			}
		}
		kernel.Axpy(-m.lambda, grad, d[first:first+w])
		first += w
	}
	if !l.CholeskyIn(ctx) {
		return nil, at
	}
	l.Solve(d)
	return d, at
}
