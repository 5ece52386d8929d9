package support

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// descendByProducts minimises q(x) + μΣκ_b(x_b) from x by accelerated proximal gradient steps, with Newton steps on the
// blocks that are not 0 in between. It stops when no block's optimality is off by more than limit, or when ctx ends. It is
// not done where products have cost as much as H would: H is formed then, to go on with.
func (m *blockModel) descendByProducts(ctx context.Context, x []float64, mu, limit float64, most int) (done bool) {
	g := m.gradientAt(x)
	for stepped, steps := 0, fewSteps; stepped < most; {
		first := stepped == 0
		off := m.accelerate(ctx, x, g, mu, limit, min(steps, most-stepped))
		stepped += steps
		if m.loose && first {
			limit = math.Max(limit, modelForcing*off)
		}
		if off <= limit || ctx.Err() != nil {
			return true
		}
		if m.products.enough() {
			m.form()
			return false
		}
		m.products.limit = limit
		whole := false
		if m.products.worthFactors() {
			_, whole = m.newton(ctx, x, g, mu)
		}
		if whole {
			steps = fewSteps
		} else {
			steps *= 2
		}
	}
	return true
}

// worthFactors says that products have taken as long as the Cholesky factors of the blocks, the preconditioner of a Newton
// step, would.
func (h *products) worthFactors() bool {
	m, _, _ := h.p.Operator.Dims()
	product := 4 * float64(m) * float64(h.p.Loss.Len()) // n outputs of Len/n samples
	var flops float64
	for b := range h.u.keys {
		flops += math.Pow(float64(h.u.start[b+1]-h.u.start[b]), 3) / 3
	}
	return flops <= h.taken*product
}

// enough says that products have cost as much as H would.
func (h *products) enough() bool { return h.taken > h.price }

// form forms H, to take the place of products.
func (m *blockModel) form() {
	h := m.products
	h.u.formPrice = h.price
	h.u.extract()
	h.u.secondDerivatives(h.p, h.s)
	m.hess, m.products = h.u.hess, nil
}

// modelForcing is the part of its first violation to which a model is minimised, as the next will be another.
const modelForcing = 0.3

// newtonForcing is the part of the gradient to which a Newton equation is solved, as blocks come and go.
const newtonForcing = 0.1

// topGrowth is how much more than a step's own curvature the bound of H becomes where it was too small.
const topGrowth = 1.1

// fewSteps of the proximal gradient find which blocks are 0. Where a Newton step after them shows that they have not, twice
// as many follow.
const fewSteps = 10

// accelerate takes proximal gradient steps with momentum, keeps g = ∇q(x) and returns the last violation.
func (m *blockModel) accelerate(ctx context.Context, x, g []float64, mu, limit float64, steps int) (off float64) {
	a := newMomentum(m, x, g)
	for range steps {
		if off = a.step(mu); off <= limit || m.products.enough() || ctx.Err() != nil {
			break
		}
	}
	return off
}

// A momentum is the accelerated proximal gradient method [Beck and Teboulle 2009], which begins anew where it points back
// [O'Donoghue and Candès 2015], for a quadratic model: the gradient at an extrapolated point is that of others,
// extrapolated.
type momentum struct {
	m           *blockModel
	x, g        []float64 // the last point, and ∇q there
	y, gy       []float64 // the extrapolated one
	next, d, hd []float64 // the proximal step from y, what it moves by, and H times that
	scale       []float64
	theta       float64
}

func newMomentum(m *blockModel, x, g []float64) *momentum {
	room := func() []float64 { return make([]float64, len(x)) }
	return &momentum{m: m, x: x, g: g, y: append([]float64(nil), x...), gy: append([]float64(nil), g...),
		next: room(), d: room(), hd: room(), scale: m.products.widest(), theta: 1}
}

// step takes one step and returns the violation at y.
func (a *momentum) step(mu float64) (off float64) {
	for off = a.propose(mu); a.tooLong(); {
		off = a.propose(mu)
	}
	var back float64
	for i, next := range a.next {
		back += a.scale[i] * (a.y[i] - next) * (next - a.x[i])
	}
	if back > 0 {
		a.theta = 1
	}
	theta := (1 + math.Sqrt(1+4*a.theta*a.theta)) / 2
	by := (a.theta - 1) / theta
	a.theta = theta
	for i, next := range a.next {
		g := a.gy[i] + a.hd[i]
		a.y[i], a.gy[i] = next+by*(next-a.x[i]), g+by*(g-a.g[i])
		a.x[i], a.g[i] = next, g
	}
	return off
}

// tooLong says that q is above the parabola which the proximal step minimised, and raises the curvature of that then.
func (a *momentum) tooLong() bool {
	h := a.m.products
	h.timesTo(a.hd, a.d)
	curve, bound := kernel.Dot(a.d, a.hd), 0.0
	for i, v := range a.d {
		bound += a.scale[i] * v * v
	}
	if !(curve > h.top*bound*(1+normRounding)) {
		return false
	}
	h.top = topGrowth * curve / bound
	h.u.top = h.top
	return true
}

// propose takes the proximal step from y and returns the largest violation: the length of a block's move times its
// curvature.
func (a *momentum) propose(mu float64) (off float64) {
	u := a.m.u
	for b, key := range u.keys {
		lo, hi := u.start[b], u.start[b+1]
		curve := a.m.products.top * a.scale[lo]
		for i := lo; i < hi; i++ {
			a.next[i] = a.y[i] - a.gy[i]/curve
		}
		u.gauge.BlockProxTo(a.next[lo:hi], a.next[lo:hi], key, mu/curve)
		var moved float64
		for i := lo; i < hi; i++ {
			a.d[i] = a.next[i] - a.y[i]
			moved += a.d[i] * a.d[i]
		}
		off = math.Max(off, math.Sqrt(moved)*curve)
	}
	return off
}
