package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// newtonOnFree takes Newton steps, each without the entry that ended the last one, until a whole one is good, which it reports. Where
// columns are correlated sweeps take hundreds to do the same: as many steps are tried as about cost that. Gauges with faces go by proximal points.
func (m *blockModel) newtonOnFree(ctx context.Context, x, g []float64, mu, limit float64) bool {
	if m.u.faces() {
		return m.products == nil && m.worthPoints(x) && m.byProximalPoints(ctx, x, g, mu, limit)
	}
	for range 1 + 1000/len(x) {
		if moved, whole := m.newton(ctx, x, g, mu); !moved || whole {
			return whole
		}
		if ctx.Err() != nil {
			break
		}
	}
	return false
}

// newton solves for the blocks that are not 0, as if none of their entries could change sign; it keeps the step, or in each part of H what
// comes before the first change, if q + μκ falls. It returns 1 for the whole step, 0 for none, and else something between.
func (m *blockModel) newton(ctx context.Context, x, g []float64, mu float64) (moved, whole bool) {
	smooth, ok := m.u.gauge.(gcg.SmoothBlockGauge)
	if !ok {
		return false, false
	}
	free := m.free(x)
	if len(free) == 0 {
		return false, false
	}
	d := m.solveFree(ctx, smooth, x, g, mu, free)
	if d == nil {
		return false, false
	}
	if m.products != nil {
		part := m.moveAlong(x, g, d, free, mu)
		return part > 0, part == 1
	}
	all := slices.Repeat([]float64{1}, len(m.hess.members))
	if m.moveFree(x, g, d, all, free, mu) {
		return true, true
	}
	return m.moveFree(x, g, d, m.crossings(x, d, free), free, mu), false
}

// moveFree goes the given part of a step on the free entries in each part of H if q + μκ falls, and keeps g.
func (m *blockModel) moveFree(x, g, d, part []float64, free []int, mu float64) bool {
	y := append([]float64(nil), x...)
	for s, i := range free {
		step := part[m.hess.of[i]]
		y[i] += step * d[s]
		if step < 1 && math.Abs(y[i]) <= 1e-12*math.Abs(x[i]) {
			y[i] = 0
		}
	}
	m.u.rho(y) // entries below 0 become 0 where the gauge has none
	gy := m.gradientAt(y)
	if !(m.value(y, gy, mu) <= m.value(x, g, mu)) {
		return false
	}
	copy(x, y)
	copy(g, gy)
	return true
}

// crossings are how far each part of H may go for the first of its free entries to reach 0.
func (m *blockModel) crossings(x, d []float64, free []int) []float64 {
	cross := slices.Repeat([]float64{1}, len(m.hess.members))
	for s, i := range free {
		if next := x[i] + d[s]; next*x[i] < 0 {
			cross[m.hess.of[i]] = math.Min(cross[m.hess.of[i]], -x[i]/d[s])
		}
	}
	return cross
}

// free lists the entries of the blocks that are not 0; of a block of several entries all.
func (m *blockModel) free(x []float64) []int {
	var free []int
	for b := range m.u.keys {
		if !isZero(m.u.block(x, b)) {
			for i := m.u.start[b]; i < m.u.start[b+1]; i++ {
				free = append(free, i)
			}
		}
	}
	return free
}

// solveFree is the Newton step on the free entries, or nil if the matrix is not positive definite.
func (m *blockModel) solveFree(ctx context.Context, smooth gcg.SmoothBlockGauge, x, g []float64, mu float64, free []int) []float64 {
	d := make([]float64, len(free))
	for a, i := range free {
		d[a] = -g[m.hess.place[i]]
	}
	bends, at := make([]bend, 0, len(free)), 0
	for b, key := range m.u.keys {
		xb := m.u.block(x, b)
		if isZero(xb) {
			continue
		}
		w := len(xb)
		grad, hess := make([]float64, w), make([]float64, w*w)
		if !smooth.BlockSlopeTo(grad, hess, xb, key, mu) {
			return nil
		}
		kernel.Axpy(-mu, grad, d[at:at+w])
		bends = append(bends, bend{at, w, hess})
		at += w
	}
	if m.products != nil {
		return m.products.solve(ctx, d, free, bends)
	}
	f := newFreeSystem(m.hess, free, bends)
	for _, l := range f.lower {
		if !l.Cholesky() {
			return nil
		}
	}
	if len(f.bends) == 0 {
		f.solveParts(d, d)
		return d
	}
	return f.conjugateGradients(d)
}
