package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// leastHalving is the part of a Newton step below which it is given up: sweeps go on from there for the price of few products.
const leastHalving = 1e-3

// moveAlong moves x by the best of the halves of a step on the free entries, and keeps g = ∇q(x). Blocks of one entry stop
// at 0. It returns the part of the step, which is 0 where none lowers q + μκ.
func (m *blockModel) moveAlong(x, g, step []float64, free []int, mu float64) (part float64) {
	d := make([]float64, len(x))
	for s, i := range free {
		d[i] = step[s]
	}
	hd, y, hy := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	m.products.timesTo(hd, d)
	least, best, hbest := mu*m.u.rho(x), make([]float64, len(x)), make([]float64, len(x))
	for t := 1.0; t > leastHalving; t /= 2 {
		if m.stopTo(y, x, d, t) {
			m.products.timesTo(hy, y)
		} else {
			copy(hy, hd)
			kernel.Scale(t, hy)
		}
		value := kernel.Dot(g, y) + kernel.Dot(y, hy)/2 + mu*m.u.rhoAt(x, y)
		if value > least && part > 0 {
			break
		}
		if value <= least {
			least, part = value, t
			copy(best, y)
			copy(hbest, hy)
		}
	}
	kernel.Axpy(1, best, x)
	kernel.Axpy(1, hbest, g)
	return part
}

// stopTo writes the move y = t d, shortened to end at 0 for blocks of one entry that would change sign, and reports whether
// there are any.
func (m *blockModel) stopTo(y, x, d []float64, t float64) (stopped bool) {
	for i := range y {
		y[i] = t * d[i]
	}
	for b := range m.u.keys {
		if i := m.u.start[b]; m.u.start[b+1] == i+1 && (x[i]+y[i])*x[i] < 0 {
			y[i], stopped = -x[i], true
		}
	}
	return stopped
}

// solve is the Newton step on the free entries, as far as conjugate gradients come before ctx ends. Their preconditioner is
// the scales and the gauges' curvatures of single blocks.
func (h *products) solve(ctx context.Context, r []float64, free []int, curves []blockCurvature) []float64 {
	blocks := h.factor(free, curves)
	if blocks == nil {
		return nil
	}
	d, hd := make([]float64, len(h.scale)), make([]float64, len(h.scale))
	multiply := func(aq, q, _ []float64) {
		for s, i := range free {
			d[i] = q[s]
		}
		h.timesTo(hd, d)
		for s, i := range free {
			aq[s] = hd[i] + freeRidge*h.scale[i]*q[s]
		}
		for _, b := range curves {
			b.addTo(aq, q)
		}
	}
	precondition := func(z, r []float64) {
		copy(z, r)
		for i, b := range curves {
			blocks[i].Solve(z[b.lo : b.lo+b.w])
		}
	}
	limit := math.Max(h.limit/2, newtonForcing*linalg.MaxAbs(r))
	stop := func([]float64) bool { return linalg.MaxAbs(r) <= limit || h.enough() || ctx.Err() != nil }
	return hessian.SolveCG(&linalg.ConjugateGradients{Multiply: multiply, Precondition: precondition,
		Limit: mostProducts, Stop: stop}, r)
}

// mostProducts bounds the conjugate gradients of a Newton step.
const mostProducts = 300

// factor is the Cholesky factors of the scales and curvatures of the blocks.
func (h *products) factor(free []int, curves []blockCurvature) []*linalg.Lower {
	blocks := make([]*linalg.Lower, len(curves))
	for i, b := range curves {
		l := linalg.NewLower(b.w)
		for a := range b.w {
			for c := range a + 1 {
				x := b.hess[a*b.w+c]
				if a == c {
					x += h.scale[free[b.lo+a]]
				}
				l.Row(a, c)[c%linalg.PanelWidth] = x
			}
		}
		if !l.Cholesky() {
			return nil
		}
		blocks[i] = l
	}
	return blocks
}
