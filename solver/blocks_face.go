package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A face is a set of x on which the gauges w_b‖x_b‖_∞ of all blocks are linear: in each block that is not 0 the largest entries keep their
// signs and stay of one size, x_i = s_i r_b, and the others move by themselves; zero blocks stay. Its variables are the r_b and the
// other entries.
type face struct {
	m     *blockModel
	of    []int     // the variable of an entry, or -1 where it stays
	sign  []float64 // of an entry in its variable
	level []int     // of a block r_b, or -1
	slope []float64 // of μκ, by variables
}

// mostFaced bounds the variables of a face: its matrix takes 4 bytes for each two, and n³/3 flops.
const mostFaced = 4000

// faces is the gauge whose blocks have faces, or nil.
func (u *support) faces() gcg.LargestBlockGauge {
	if gauge, ok := u.gauge.(gcg.LargestBlockGauge); ok && len(u.keys) > 0 {
		if _, ok := gauge.BlockLargest(u.keys[0], u.start[1]); ok {
			return gauge
		}
	}
	return nil
}

// On faces many entries may have to change places, of which a step settles some: steps follow each other while they gain, and come again sooner
// than others do, which fail for good where they fail. They take no more time than sweeps have: many blocks of features that are hardly
// correlated need few of these.
const (
	faceSteps    = 6
	facePatience = 0.3
	patience     = 2
)

// patience is how many sweeps, beside those that there were, pass before Newton steps are tried again.
func (m *blockModel) patience() float64 {
	if m.u.faces() != nil {
		return facePatience
	}
	return patience
}

// newFace is that of x. Largest entries that the gradient would rather have smaller count among the others, unless all do.
func (m *blockModel) newFace(gauge gcg.LargestBlockGauge, x, g []float64, mu float64) *face {
	f := &face{m: m, of: make([]int, len(x)), sign: make([]float64, len(x)), level: make([]int, len(m.u.keys))}
	variable := func(slope float64) int {
		f.slope = append(f.slope, slope)
		return len(f.slope) - 1
	}
	for b, key := range m.u.keys {
		lo, block := m.u.start[b], m.u.block(x, b)
		w, _ := gauge.BlockLargest(key, len(block))
		top := linalg.MaxAbs(block)
		tied := func(i int) bool { return math.Abs(block[i]) == top }
		pulled := func(i int) bool { return tied(i) && g[m.hess.place[lo+i]]*block[i] <= 0 }
		f.level[b] = -1
		for i := range block {
			f.of[lo+i] = -1
			if top > 0 && pulled(i) && f.level[b] < 0 {
				f.level[b] = variable(mu * w)
			}
		}
		if top == 0 {
			continue
		}
		if f.level[b] < 0 {
			f.level[b], pulled = variable(mu*w), tied
		}
		for i, v := range block {
			if f.sign[lo+i] = 1; pulled(i) {
				f.of[lo+i], f.sign[lo+i] = f.level[b], math.Copysign(1, v)
			} else {
				f.of[lo+i] = variable(0)
			}
		}
	}
	return f
}

// step is the Newton step -(EᵀHE)⁻¹(Eᵀg + slope) for x = E z, or nil where that matrix is not positive definite beyond rounding.
func (f *face) step(g []float64) []float64 {
	h, d := linalg.NewLower(len(f.slope)), make([]float64, len(f.slope))
	kernel.Axpy(-1, f.slope, d)
	for _, part := range f.m.hess.members {
		for _, i := range part {
			a := f.of[i]
			if a < 0 {
				continue
			}
			d[a] -= f.sign[i] * g[f.m.hess.place[i]]
			row := f.m.hess.row(i)
			for c, j := range part {
				if b := f.of[j]; 0 <= b && b <= a {
					h.Row(a, b)[b%linalg.PanelWidth] += f.sign[i] * f.sign[j] * row[c]
				}
			}
		}
	}
	least := 1e-4 * faceRidge * h.Trace() / float64(len(f.slope))
	for a := range f.slope {
		h.Row(a, a)[a%linalg.PanelWidth] += faceRidge*h.At(a, a) + least
	}
	if !h.Cholesky() {
		return nil
	}
	h.Solve(d)
	return d
}

// faceRidge is what is added to the diagonal of the matrix of a face, in its own parts and, less, in those of its mean: on a face that has yet to
// become the right one there may be more variables than observations.
const faceRidge = 1e-10

// move writes into y where a part of a step leads, and whether it is a whole one that stays on the face: entries end at the size of the largest
// ones, and blocks at 0.
func (f *face) move(y, x, d []float64, part float64) (whole bool) {
	copy(y, x)
	whole = part == 1
	for b, level := range f.level {
		if level < 0 {
			continue
		}
		lo, block := f.m.u.start[b], f.m.u.block(y, b)
		size := linalg.MaxAbs(block) + part*d[level]
		if size <= 0 {
			clear(block)
			whole = false
			continue
		}
		for i, v := range block {
			a := f.of[lo+i]
			if a == level {
				block[i] = f.sign[lo+i] * size
				continue
			}
			if block[i] = v + part*d[a]; math.Abs(block[i]) > size {
				block[i] = math.Copysign(size, block[i])
				whole = false
			}
		}
	}
	return whole
}

// newtonOnFace keeps the longest of a few parts of the Newton step on the face of x with which q + μκ falls, and keeps g. It returns 1 for a
// whole step, 0 for none, as where H is not formed, and else something between.
func (m *blockModel) newtonOnFace(gauge gcg.LargestBlockGauge, x, g []float64, mu float64) float64 {
	if m.products != nil {
		return 0
	}
	f := m.newFace(gauge, x, g, mu)
	cost := math.Pow(float64(len(f.slope)), 3)/3/fasterFlops + m.hess.size()
	if len(f.slope) == 0 || len(f.slope) > mostFaced || cost > m.swept {
		return 0
	}
	m.swept -= cost
	d := f.step(g)
	if d == nil {
		return 0
	}
	y, value := make([]float64, len(x)), m.value(x, g, mu)
	for part := 1.0; part > shortestPart; part /= 2 {
		whole := f.move(y, x, d, part)
		gy := m.gradientAt(y)
		if !(m.value(y, gy, mu) <= value) {
			continue
		}
		copy(x, y)
		copy(g, gy)
		if whole {
			return 1
		}
		return 0.5
	}
	return 0
}

// fasterFlops is how many of those of a Cholesky factor take the time of one of a sweep.
const fasterFlops = 10

// sweepFlops are about those of a sweep: blocks that reach over several parts add each of their steps to the gradient.
func (m *blockModel) sweepFlops() float64 {
	if len(m.hess.members) > 1 {
		return 2 * blockSteps * m.hess.size()
	}
	return 2 * m.hess.size()
}

// shortestPart is the least part of a step that is tried.
const shortestPart = 0.1
