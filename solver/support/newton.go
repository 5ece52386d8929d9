package support

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// newtonOnFree takes Newton steps on the blocks that are not 0, until a whole one lowers the model, which it reports. A step
// that ends where an entry comes to 0 is followed by one without it; as many are tried as cost about what sweeps would.
// Gauges with faces go by proximal points instead.
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

// newton solves for the blocks that are not 0 as if none of their entries changed sign. It takes the whole step if q + μκ
// falls, or else, in each part of H, the step up to the first entry that comes to 0. It reports whether it moved, and
// whether by the whole step.
func (m *blockModel) newton(ctx context.Context, x, g []float64, mu float64) (moved, whole bool) {
	smooth := m.u.smooth
	if smooth == nil {
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
	all := slices.Repeat([]float64{1}, len(m.hess.Members))
	if m.moveFree(x, g, d, all, free, mu) {
		return true, true
	}
	return m.moveFree(x, g, d, m.crossings(x, d, free), free, mu), false
}

// moveFree moves the free entries by part[q] of the step d in each part q of H if q + μκ does not rise, which it reports,
// and keeps g.
func (m *blockModel) moveFree(x, g, d, part []float64, free []int, mu float64) bool {
	y := append([]float64(nil), x...)
	for s, i := range free {
		step := part[m.hess.Of[i]]
		y[i] += step * d[s]
		if step < 1 && math.Abs(y[i]) <= view.DomainRounding*math.Abs(x[i]) {
			y[i] = 0
		}
	}
	m.u.rho(y) // entries below 0 become 0 where the gauge has none
	gy := m.gradientAt(y)
	if !(m.Value(y, gy, mu) <= m.Value(x, g, mu)) {
		return false
	}
	copy(x, y)
	copy(g, gy)
	return true
}

// crossings are how far each part of H can go until the first of its free entries comes to 0, at most 1.
func (m *blockModel) crossings(x, d []float64, free []int) []float64 {
	cross := slices.Repeat([]float64{1}, len(m.hess.Members))
	for s, i := range free {
		if next := x[i] + d[s]; next*x[i] < 0 {
			cross[m.hess.Of[i]] = math.Min(cross[m.hess.Of[i]], -x[i]/d[s])
		}
	}
	return cross
}

// free lists the entries of the blocks that are not 0, including those entries of them that are.
func (m *blockModel) free(x []float64) []int {
	var free []int
	for b := range m.u.keys {
		if !hessian.IsZero(m.u.block(x, b)) {
			for i := m.u.start[b]; i < m.u.start[b+1]; i++ {
				free = append(free, i)
			}
		}
	}
	return free
}

// solveFree is the Newton step on the free entries, or nil where its matrix is not positive definite.
func (m *blockModel) solveFree(ctx context.Context, smooth view.SmoothBlockGauge, x, g []float64, mu float64,
	free []int) []float64 {
	d := make([]float64, len(free))
	for a, i := range free {
		d[a] = -g[m.hess.Place[i]]
	}
	curves, at := make([]blockCurvature, 0, len(free)), 0
	for b, key := range m.u.keys {
		xb := m.u.block(x, b)
		if hessian.IsZero(xb) {
			continue
		}
		w := len(xb)
		grad, hess := make([]float64, w), make([]float64, w*w)
		if !smooth.BlockSlopeTo(grad, hess, xb, key, mu) {
			return nil
		}
		kernel.Axpy(-mu, grad, d[at:at+w])
		curves = append(curves, blockCurvature{at, w, hess})
		at += w
	}
	if m.products != nil {
		return m.products.solve(ctx, d, free, curves)
	}
	f := newFreeSystem(m.hess, free, curves)
	for _, l := range f.lower {
		if !l.Cholesky() {
			return nil
		}
	}
	if len(f.curves) == 0 {
		f.solveParts(d, d)
		return d
	}
	return f.conjugateGradients(d)
}
