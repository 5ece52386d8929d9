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

// due takes the blocks that are not 0 and what the last cycle read.
func (c *newtonClock) due(m *model, free []int, work float64) bool {
	same := slices.Equal(free, c.free)
	c.free = free
	c.spent += work
	if _, ok := m.products.(*byGram); !ok || !same || len(free) == 0 || c.spent < m.newtonWork(free)/newtonFlops {
		return false
	}
	c.spent = 0
	return true
}

// newtonWork is the flops of a Newton step on free blocks.
func (m *model) newtonWork(free []int) float64 {
	at := m.freeEntries(free)
	if at.several {
		return factorFlops(len(at.own))
	}
	return m.u.factor.to(at.all, m.normal()).work
}

// normal is H of all entries of the set.
func (m *model) normal() normal { return normal{m.between, m.mu, len(m.u.x)} }

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
	several  bool // a block has several
}

// freeEntries are those of free blocks.
func (m *model) freeEntries(free []int) (at freeEntries) {
	for _, t := range free {
		lo, w := m.u.blocks[m.blocks[t]].lo, m.start[t+1]-m.start[t]
		for i := range w {
			at.own, at.all = append(at.own, m.start[t]+i), append(at.all, lo+i)
			at.single = append(at.single, w == 1)
		}
		at.several = at.several || w > 1
	}
	return at
}

// newtonStep is d, or nil where the gauge has no derivatives there or the matrix is not positive definite.
func (m *model) newtonStep(ctx context.Context, free []int) (d []float64, at freeEntries) {
	at = m.freeEntries(free)
	smooth := view.OfGauge(m.u.gauge).SmoothBlocks
	if smooth == nil {
		return nil, at
	}
	d = make([]float64, len(at.own))
	for i, e := range at.all {
		d[i] = m.slopeAt(e, at.own[i])
	}
	curves, first := make([][]float64, len(free)), 0 // λ∇²κ of the blocks, 0 for single entries
	for b, t := range free {
		x := m.x[m.start[t]:m.start[t+1]]
		w := len(x)
		grad := make([]float64, w)
		curves[b] = make([]float64, w*w)
		if !smooth.BlockSlopeTo(grad, curves[b], x, m.u.blocks[m.blocks[t]].key, m.lambda) {
			return nil, at
		}
		kernel.Axpy(-m.lambda, grad, d[first:first+w])
		first += w
	}
	if at.several {
		return m.solveBlocks(ctx, d, at, curves), at
	}
	d, m.u.factor = m.u.factor.solve(ctx, m.normal(), at.all, d)
	return d, at
}

// solveBlocks is (X̃ᵀX̃ + μI + λ∇²κ)⁻¹g, in g, for the λ∇²κ of the blocks; nil where the matrix is not positive definite.
func (m *model) solveBlocks(ctx context.Context, g []float64, at freeEntries, curves [][]float64) []float64 {
	l := linalg.NewLower(len(g))
	m.normal().rowsTo(l, at.all, 0)
	first := 0
	for _, curve := range curves {
		w := int(math.Sqrt(float64(len(curve))))
		for i := range w {
			for j := range i + 1 {
				l.Row(first+i, first+j)[(first+j)%linalg.PanelWidth] += curve[i*w+j]
			}
		}
		first += w
	}
	if !l.CholeskyIn(ctx) {
		return nil
	}
	l.Solve(g)
	return g
}
