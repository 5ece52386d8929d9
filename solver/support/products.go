package support

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// products are the second derivatives H of L on a support by products alone. Where a loss couples the classes of a row, the
// matrix of t entries would take 8t² bytes and t² dot products. H d is A*(D A(d)) on the support, with D = ∇²L less what an
// intercept absorbs: 4npC flops for a dense design of n rows, p features and C classes.
type products struct {
	u     *support
	p     *view.Problem
	s     *gcg.State
	free  *hessian.Absorber
	scale []float64 // about Hᵢᵢ
	top   float64   // H ≼ top·diag(widest scale of the block), as far as steps have told
	limit float64   // of the violation that is wanted
	e     []float64 // work space: predictions
	taken float64   // products so far, of a gauge with faces those of earlier models too
	price float64   // of H, in products
}

const (
	fewProducts = 150  // that a model may take before H is worth forming, or more
	wideBlock   = 1000 // entries of a block whose matrix takes longer than many products, be it that of a part alone
	sparseTime  = 20.0 // of a term of H, in flops of products that are dense: sparse ones take fewer
	// topDecay lowers the bound of H that earlier models came to: it is raised again where a step is too long, and never falls else.
	topDecay = 0.7
	// leastCurvature is the part of the largest scale that the others are at least, so that no step is longer by more than that.
	leastCurvature = rounding.Null
)

// byProducts says that H is better not formed: it would cost more products than any model has been seen to take.
func (u *support) byProducts(p *view.Problem) bool {
	m, n, _ := p.Operator.Dims()
	return p.Kronecker != nil && (!p.Separable || u.widest() > wideBlock) && m*n <= view.MaxMatrix &&
		u.price(p) > math.Max(u.formPrice, fewProducts)
}

// widest is the number of entries of the largest block.
func (u *support) widest() (entries int) {
	for b := range u.keys {
		entries = max(entries, u.start[b+1]-u.start[b])
	}
	return entries
}

// price is about how many products cost as much as forming H and what is done with it, some sweeps and Cholesky factors. A
// product takes 4mn flops for each sample.
func (u *support) price(p *view.Problem) float64 {
	m, n, _ := p.Operator.Dims()
	entries := len(u.x)
	if entries > maxSupport {
		return math.Inf(1)
	}
	t := float64(entries)
	form := sparseTime * t * t
	if u.dense {
		form = min(hessian.FormTimes(entries, min(m, entries), min(n, entries)))
	}
	samples := float64(p.Observations()) / float64(n)
	return (form + t*t*(t+100)/samples) / (4 * float64(m) * float64(n))
}

// newProducts begins with the bound that earlier models came to, a little lowered, or with an estimate.
func newProducts(u *support, p *view.Problem, s *gcg.State) *products {
	h := &products{u: u, p: p, s: s, e: make([]float64, len(s.Z)), taken: u.faceProducts, price: u.price(p)}
	h.free, _ = hessian.NewAbsorber(p, s, nil)
	h.scale = h.diagonal()
	if h.top = topDecay * u.top; h.top == 0 {
		h.top = h.largest()
	}
	u.top = h.top
	return h
}

// diagonal is about the diagonal of H, by the operator's approximation L ⊗ R, and positive.
func (h *products) diagonal() []float64 {
	gram, left, right := h.p.Kronecker.Kronecker(h.p.HessDiagonal(h.s), h.p.Intercept)
	if gram != nil {
		left = gram.Diagonal()
	}
	floor := leastCurvature*slices.Max(left)*slices.Max(right) + 1e-300
	d := make([]float64, len(h.u.x))
	for i := range d {
		d[i] = math.Max(left[h.u.rows[i]]*right[h.u.cols[i]], floor)
	}
	return d
}

// widest is the largest scale of each block, for each of its entries, as a proximal step takes one scale for a block.
func (h *products) widest() []float64 {
	w := make([]float64, len(h.scale))
	for b := range h.u.keys {
		lo, hi := h.u.start[b], h.u.start[b+1]
		top := slices.Max(h.scale[lo:hi])
		for i := lo; i < hi; i++ {
			w[i] = top
		}
	}
	return w
}

// largest is about the largest eigenvalue of H in the metric of the widest scales, by power steps from a fixed vector.
func (h *products) largest() (top float64) {
	scale := h.widest()
	d, g := make([]float64, len(scale)), make([]float64, len(scale))
	for i := range d {
		d[i] = 1 + float64(i%7)/7
		if i%2 == 1 {
			d[i] = -d[i]
		}
	}
	for range scaleSteps {
		h.timesTo(g, d)
		var gg, dd float64
		for i, s := range scale {
			g[i] /= s
			gg += g[i] * g[i] * s
			dd += d[i] * d[i] * s
		}
		top = math.Sqrt(gg / dd)
		if !(top > 0) {
			return 1
		}
		for i := range d {
			d[i] = g[i] / top
		}
	}
	return top
}

// scaleSteps are the power steps. They are few, as descent raises an estimate that is too low.
const scaleSteps = 8

// timesTo is g = H d.
func (h *products) timesTo(g, d []float64) {
	h.s.Count.Products++
	h.taken++
	if h.u.faces() {
		h.u.faceProducts = h.taken
	}
	h.u.predict(h.p, h.e, d)
	h.p.HessTo(h.e, h.s.Z, h.s.R, h.e)
	if h.free != nil {
		h.free.Reduce(h.e)
	}
	h.u.adjointTo(h.p, g, h.e)
}

// asMatrix says that products with all of W take less than those with the columns of the support, whose values lie apart in
// predictions.
func (u *support) asMatrix(p *view.Problem) bool {
	m, n, _ := p.Operator.Dims()
	return u.byProducts(p) || p.Kronecker != nil && u.dense && m*n <= view.MaxMatrix && (m+n)*n <= columnGain*len(u.x)
}

// columnGain is how many times longer a term of a product with single columns takes.
const columnGain = 8

// predict is z = A(d). Taken as a matrix, d is the product of itself and I.
func (u *support) predict(p *view.Problem, z, d []float64) {
	if !u.asMatrix(p) {
		u.extract()
		clear(z)
		for t, by := range d {
			hessian.AddColumn(z, by, &u.columns[t])
		}
		return
	}
	m, n, _ := p.Operator.Dims()
	w, one := gcg.NewFactor(m, n), gcg.Identity(n)
	for i, v := range d {
		w.Row(int(u.rows[i]))[u.cols[i]] = v
	}
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.Operator.FactoredTo(z[lo:hi], lo, w, one)
	})
}

// adjointTo is g = A*(r) on the support.
func (u *support) adjointTo(p *view.Problem, g, r []float64) {
	if !u.asMatrix(p) {
		u.extract()
		hessian.AdjointTo(p.Problem, g, u.columns, r)
		return
	}
	m, n, _ := p.Operator.Dims()
	all := make([]float64, m*n)
	gcg.DenseTo(all, p.Operator.Adjoint(r))
	for i := range g {
		g[i] = all[int(u.rows[i])*n+int(u.cols[i])]
	}
}

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
	product := 4 * float64(m) * float64(h.p.Observations()) // n outputs of Len/n samples
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
	sequence    firstorder.Momentum
}

func newMomentum(m *blockModel, x, g []float64) *momentum {
	room := func() []float64 { return make([]float64, len(x)) }
	return &momentum{m: m, x: x, g: g, y: append([]float64(nil), x...), gy: append([]float64(nil), g...),
		next: room(), d: room(), hd: room(), scale: m.products.widest()}
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
		a.sequence.Restart()
	}
	by := a.sequence.Next()
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
