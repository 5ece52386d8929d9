package solver

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// products are the second derivatives H of L on a support through products alone: where a loss couples the classes of a row, the
// matrix of t entries would take 8t² bytes and t² dot products. H d is A*(D A(d)) on the support, D = ∇²L with what an intercept
// absorbs taken off: 4npC flops for a dense design of n rows, p features and C classes.
type products struct {
	u     *support
	p     *gcg.Problem
	s     *gcg.State
	free  *absorber
	scale []float64 // about Hᵢᵢ
	top   float64   // H ≼ top·diag(widest scale of the block), as far as steps have told
	limit float64   // of the violation that is wanted
	e     []float64 // work space: predictions
}

// A kroneckerColumns is an operator that products work with.
type kroneckerColumns interface {
	gcg.ColumnOperator
	gcg.KroneckerOperator
}

// byProducts says that H is better not formed. Its t²/2 dot products take about 1 ns for each sample and class that they meet; products
// take hundreds for a model, of 4npC flops.
func (u *support) byProducts(p *gcg.Problem) bool {
	m, n, nobs := p.Operator.Dims()
	_, able := u.op.(kroneckerColumns)
	if !able || gcg.Separable(p.Loss) || m*n > maxMatrix {
		return false
	}
	t := float64(len(u.x))
	samples := float64(nobs / n)
	return t*t*samples*formedTime > productsOfModel*4*samples*float64(m)*float64(n)
}

const (
	maxMatrix       = 1 << 24 // entries of a W that is kept as a matrix
	formedTime      = 20      // in flops of a product
	productsOfModel = 200
)

func newProducts(u *support, p *gcg.Problem, s *gcg.State) *products {
	h := &products{u: u, p: p, s: s, e: make([]float64, len(s.Z))}
	h.free, _ = newAbsorber(p, s, nil)
	h.scale = h.diagonal()
	if h.top = 0.7 * u.top; h.top == 0 {
		h.top = h.largest()
	}
	u.top = h.top
	return h
}

// diagonal is about that of H, by the operator's approximation L ⊗ R.
func (h *products) diagonal() []float64 {
	gram, left, right := h.u.op.(kroneckerColumns).Kronecker(diagonal(h.p, h.s), h.p.Intercept)
	if gram != nil {
		left = make([]float64, gram.K)
		for j := range left {
			left[j] = gram.Row(j)[j]
		}
	}
	floor := 1e-12*slices.Max(left)*slices.Max(right) + 1e-300
	d := make([]float64, len(h.u.x))
	for i := range d {
		d[i] = math.Max(left[h.u.rows[i]]*right[h.u.cols[i]], floor)
	}
	return d
}

// widest is the largest scale of each block, for all of its entries: proximal steps take one for a block.
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

// largest is about the largest eigenvalue of H in the metric of the widest scales, by power steps.
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

// scaleSteps are few: where the estimate is too low, steps tell.
const scaleSteps = 8

// timesTo is g = H d.
func (h *products) timesTo(g, d []float64) {
	h.s.Count.Products++
	h.u.predict(h.p, h.e, d)
	h.p.HessTo(h.e, h.s.Z, h.s.R, h.e)
	if h.free != nil {
		h.free.reduce(h.e)
	}
	h.u.adjointTo(h.p, g, h.e)
}

// predict is z = A(d): a matrix is the product of two factors, itself and I.
func (u *support) predict(p *gcg.Problem, z, d []float64) {
	if !u.byProducts(p) {
		u.extract()
		clear(z)
		for t, by := range d {
			addColumn(z, by, &u.columns[t])
		}
		return
	}
	m, n, _ := p.Operator.Dims()
	w, one := gcg.NewFactor(m, n), gcg.NewFactor(n, n)
	for i, v := range d {
		w.Row(int(u.rows[i]))[u.cols[i]] = v
	}
	for c := range n {
		one.Row(c)[c] = 1
	}
	par.For(p.Blocks(), func(b int) {
		lo, hi := p.Block(b)
		p.Operator.FactoredTo(z[lo:hi], lo, w, one)
	})
}

// adjointTo is A*(r) on the support.
func (u *support) adjointTo(p *gcg.Problem, g, r []float64) {
	if !u.byProducts(p) {
		u.extract()
		par.For(len(g), func(i int) { g[i] = dotColumn(r, &u.columns[i]) })
		return
	}
	m, n, _ := p.Operator.Dims()
	all := make([]float64, m*n)
	p.Operator.Adjoint(r).(gcg.DenseMap).RowsTo(all, 0)
	for i := range g {
		g[i] = all[int(u.rows[i])*n+int(u.cols[i])]
	}
}

// descendByProducts minimises q(x) + μΣκ_b(x_b) from x by accelerated proximal gradient steps, and between them Newton steps on the blocks that
// are not 0. It stops when no block's optimality is off by more than limit, or time is up.
func (m *blockModel) descendByProducts(ctx context.Context, x []float64, mu, limit float64, most int) {
	g := m.gradientAt(x)
	for done, steps := 0, fewSteps; done < most; done += steps {
		off := m.accelerate(ctx, x, g, mu, limit, min(steps, most-done))
		if m.loose && done == 0 {
			limit = math.Max(limit, modelForcing*off)
		}
		if off <= limit || ctx.Err() != nil {
			return
		}
		m.products.limit = limit
		if part := m.newton(x, g, mu); part == 1 {
			steps = fewSteps
		} else {
			steps *= 2
		}
	}
}

// The model is minimised to a part of its first violation, as the next one will be another, and its Newton equation to a part of the
// gradient, as blocks come and go.
const (
	modelForcing  = 0.3
	newtonForcing = 0.1
)

// fewSteps of the proximal gradient find which blocks are 0, unless Newton steps say that they have not.
const fewSteps = 10

// accelerate takes proximal gradient steps with momentum [Beck and Teboulle 2009], which starts anew where it points back [O'Donoghue
// and Candès 2015]. It keeps g = ∇q(x) and returns the last violation.
func (m *blockModel) accelerate(ctx context.Context, x, g []float64, mu, limit float64, steps int) (off float64) {
	h := m.products
	scale := h.widest()
	y, gy := append([]float64(nil), x...), append([]float64(nil), g...)
	next, d, hd := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	theta := 1.0
	for range steps {
		off = m.proximal(next, y, gy, scale, mu)
		var curve, bound float64
		for {
			for i := range d {
				d[i] = next[i] - y[i]
			}
			h.timesTo(hd, d)
			curve, bound = kernel.Dot(d, hd), 0
			for i, v := range d {
				bound += scale[i] * v * v
			}
			if !(curve > h.top*bound*(1+1e-12)) {
				break
			}
			h.top = 1.1 * curve / bound
			h.u.top = h.top
			off = m.proximal(next, y, gy, scale, mu)
		}
		var back float64
		for i := range next {
			back += scale[i] * (y[i] - next[i]) * (next[i] - x[i])
		}
		if back > 0 {
			theta = 1
		}
		t := (1 + math.Sqrt(1+4*theta*theta)) / 2
		by := (theta - 1) / t
		theta = t
		for i := range next {
			gn := gy[i] + hd[i]
			y[i], gy[i] = next[i]+by*(next[i]-x[i]), gn+by*(gn-g[i])
			x[i], g[i] = next[i], gn
		}
		if off <= limit || ctx.Err() != nil {
			return off
		}
	}
	return off
}

// proximal writes the proximal step from y with the gradient g, and returns the largest violation: the way of a block in the norm
// times its curvature.
func (m *blockModel) proximal(next, y, g, scale []float64, mu float64) (off float64) {
	for b, key := range m.u.keys {
		lo, hi := m.u.start[b], m.u.start[b+1]
		curve := m.products.top * scale[lo]
		for i := lo; i < hi; i++ {
			next[i] = y[i] - g[i]/curve
		}
		m.u.gauge.BlockProxTo(next[lo:hi], next[lo:hi], key, mu/curve)
		var moved float64
		for i := lo; i < hi; i++ {
			moved += (next[i] - y[i]) * (next[i] - y[i])
		}
		off = math.Max(off, math.Sqrt(moved)*curve)
	}
	return off
}

// along moves by the best of halves of a step on the free entries, and keeps g = ∇q(x). Blocks of one entry stop at 0. It returns the
// part, 0 if none lowers q + μκ.
func (m *blockModel) along(x, g, step []float64, free []int, mu float64) (part float64) {
	d := make([]float64, len(x))
	for s, i := range free {
		d[i] = step[s]
	}
	hd, y, hy := make([]float64, len(x)), make([]float64, len(x)), make([]float64, len(x))
	m.products.timesTo(hd, d)
	least, best, hbest := mu*m.u.rho(x), make([]float64, len(x)), make([]float64, len(x))
	for t := 1.0; t > 1e-3; t /= 2 {
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

// stopTo is y = t d, but as far as 0 for blocks of one entry that change sign; it reports whether there are any.
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

// solve is the Newton step on the free entries, by conjugate gradients with the scales and the bends of single blocks as the
// preconditioner.
func (h *products) solve(r []float64, free []int, bends []bend) []float64 {
	blocks := h.factor(free, bends)
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
			aq[s] = hd[i] + 1e-13*h.scale[i]*q[s]
		}
		for _, b := range bends {
			b.addTo(aq, q)
		}
	}
	precondition := func(z, r []float64) {
		copy(z, r)
		for i, b := range bends {
			blocks[i].Solve(z[b.lo : b.lo+b.w])
		}
	}
	limit := math.Max(h.limit/2, newtonForcing*largestOf(r))
	return conjugateGradients(r, mostProducts, precondition, multiply, func(float64) bool { return largestOf(r) <= limit })
}

// mostProducts bounds the conjugate gradients of a Newton step.
const mostProducts = 300

func largestOf(x []float64) (top float64) {
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

// factor is the Cholesky factors of the blocks' scales and bends.
func (h *products) factor(free []int, bends []bend) []*linalg.Lower {
	blocks := make([]*linalg.Lower, len(bends))
	for i, b := range bends {
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
