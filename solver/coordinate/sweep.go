package coordinate

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A goal is when a model is solved: its gap is at most tight, or at most loose once so many values have been read.
type goal struct{ loose, tight, budget float64 }

// met says that a gap is at the goal after so much work.
func (g goal) met(gap, work float64) bool {
	return gap <= g.tight || gap <= g.loose && work >= g.budget
}

const (
	mostCycles  = 2000 // of a model: sweeps over all blocks
	innerSweeps = 10   // over the blocks that are not 0, after one over all
	innerFall   = 0.1  // of the gap, to which these sweeps bring it at most before the next one over all
)

// minimise descends on the model until the goal, or until ctx ends. It returns the gap that is left, as an estimate.
func (m *model) minimise(ctx context.Context, to goal) (gap float64) {
	all := make([]int, len(m.blocks))
	for t := range all {
		all[t] = t
	}
	newton := newtonClock{}
	for range mostCycles {
		before := m.work
		var moved bool
		gap, moved = m.sweep(all)
		if to.met(gap, m.work) || !moved || m.work >= m.most || ctx.Err() != nil {
			return gap
		}
		free := m.free()
		ahead := extrapolation{m: m}
		for range innerSweeps {
			left, moved := m.sweep(free)
			if left <= innerFall*math.Max(to.tight, gap) || !moved || ctx.Err() != nil {
				break
			}
			ahead.next()
		}
		if newton.due(m, free, m.work-before) {
			m.newton(ctx, free)
		}
	}
	return gap
}

// free are the blocks that are not 0.
func (m *model) free() (list []int) {
	for t := range m.blocks {
		if !hessian.IsZero(m.x[m.start[t]:m.start[t+1]]) {
			list = append(list, t)
		}
	}
	return list
}

// sweep takes a step on each of the blocks in turn. It returns an estimate of the gap on these blocks before it,
//
//	Σ λκ_b(x_b) - ⟨x_b, g_b⟩ + κ(x)·max (κ_b°(g_b) - λ)₊,
//
// and whether a block moved.
func (m *model) sweep(blocks []int) (gap float64, moved bool) {
	if m.packed != nil {
		return m.packed.sweep(m, blocks)
	}
	var worst, kappa float64
	for _, t := range blocks {
		if m.shapes[t].curve <= 0 {
			m.flatten(t)
			continue
		}
		var surplus, rho, off float64
		if m.start[t+1]-m.start[t] == 1 {
			surplus, rho, off = m.stepOne(t)
		} else {
			surplus, rho, off = m.stepBlock(t)
		}
		gap += surplus
		kappa += rho
		worst = math.Max(worst, off)
		moved = moved || off > 0
	}
	return math.Max(gap, 0) + worst*kappa, moved
}

// stepOne moves a block of one entry to the minimum along it. It returns λκ_b - ⟨x_b, g_b⟩, κ_b, and by how much the block is
// off.
func (m *model) stepOne(t int) (surplus, rho, off float64) {
	k, i := &m.u.blocks[m.blocks[t]], m.start[t]
	curve, x, g := m.shapes[t].curve, m.x[i], m.slopeAt(k.lo, i)
	m.work += m.cost(k.lo)
	weight := k.up
	if x < 0 {
		weight = k.down
	}
	if x != 0 {
		rho = weight * math.Abs(x)
		surplus = m.lambda*rho - x*g
	}
	next := 0.0
	if y := curve*x + g; y > m.lambda*k.up {
		next, weight = (y-m.lambda*k.up)/curve, k.up
	} else if y < -m.lambda*k.down {
		next, weight = (y+m.lambda*k.down)/curve, k.down
	}
	if next == x {
		return surplus, rho, 0
	}
	m.x[i] = next
	m.move(k.lo, next-x)
	m.work += m.cost(k.lo)
	return surplus, rho, math.Abs(next-x) * curve / weight
}

const (
	// blockSteps bounds the proximal steps on a block of several entries at a time.
	blockSteps = 20
	// blockPart is the part of the first step below which the others end: they read nothing but the block, and the next sweep
	// finds it moved by the others anyway.
	blockPart = 0.01
)

// stepBlock takes proximal steps on a block of several entries until they are short. It returns what stepOne
// does.
func (m *model) stepBlock(t int) (surplus, rho, off float64) {
	b := m.blocks[t]
	k, h, curve := &m.u.blocks[b], m.shapes[t].within, m.shapes[t].curve
	x, w := m.x[m.start[t]:m.start[t+1]], m.start[t+1]-m.start[t]
	g, old := make([]float64, w), slices.Clone(x)
	for i := range g {
		g[i] = m.slopeAt(k.lo+i, m.start[t]+i)
		m.work += m.cost(k.lo + i)
	}
	rho = m.u.kappa(b, slices.Clone(x))
	surplus = m.lambda*rho - kernel.Dot(x, g)
	d := make([]float64, w)
	for range blockSteps {
		copy(d, x)
		for i, s := range g {
			x[i] += s / curve
		}
		m.u.gauge.BlockProxTo(x, x, k.key, m.lambda/curve)
		var length float64
		for i, v := range x {
			d[i] = v - d[i]
			length += d[i] * d[i]
			kernel.Axpy(-d[i], h[i*w:(i+1)*w], g)
		}
		length = math.Sqrt(length) * curve
		if off == 0 {
			off = length
		}
		if length <= blockPart*off {
			break
		}
	}
	for i, v := range x {
		if v != old[i] {
			m.move(k.lo+i, v-old[i])
			m.work += m.cost(k.lo + i)
		}
	}
	return surplus, rho, off
}

// flatten moves a block along which q has no curvature to 0: but for rounding, q is the same there.
func (m *model) flatten(t int) {
	lo := m.u.blocks[m.blocks[t]].lo
	for i := m.start[t]; i < m.start[t+1]; i++ {
		if m.x[i] != 0 {
			m.move(lo+i-m.start[t], -m.x[i])
			m.x[i] = 0
		}
	}
}

// extrapolateAfter is the number of sweeps between two extrapolations.
const extrapolateAfter = 5

// An extrapolation is Anderson's, of the sweeps over some blocks. What is kept of Δ combines as x does, so that it costs no
// product.
type extrapolation struct {
	m      *model
	sweeps firstorder.Anderson // to the ends of x and of its image
	last   []float64           // x before the next sweep
}

// next takes the end of another sweep. After extrapolateAfter of them it moves the model to the combination, if the model is
// lower there, and begins anew.
func (e *extrapolation) next() {
	m := e.m
	if e.last == nil {
		e.sweeps, e.last = firstorder.Anderson{Depth: extrapolateAfter}, slices.Clone(m.x)
		return
	}
	move := slices.Clone(m.x)
	kernel.Axpy(-1, e.last, move)
	e.sweeps.Add(slices.Concat(m.x, m.image()), move)
	copy(e.last, m.x)
	if e.sweeps.Len() < extrapolateAfter {
		return
	}
	both := make([]float64, len(m.x)+len(m.image()))
	e.sweeps.CombineTo(both)
	m.moveTo(both[:len(m.x)], both[len(m.x):])
	e.last = nil
}

// moveTo moves the model to x, of which image is kept, if it is lower there; which it reports.
func (m *model) moveTo(x, image []float64) bool {
	before, oldX, oldImage := m.objective(), slices.Clone(m.x), slices.Clone(m.image())
	rounded := slices.Clone(x)
	kappa := m.kappa(rounded) // which puts it into the domain of κ
	copy(m.x, x)
	copy(m.image(), image)
	if slices.Equal(rounded, x) && m.smooth()+m.lambda*kappa < before {
		return true
	}
	copy(m.x, oldX)
	copy(m.image(), oldImage)
	return false
}
