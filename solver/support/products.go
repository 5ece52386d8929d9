package support

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/par"
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
	leastCurvature = 1e-12
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
	samples := float64(p.Loss.Len()) / float64(n)
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
		par.For(len(g), func(i int) { g[i] = hessian.DotColumn(r, &u.columns[i]) })
		return
	}
	m, n, _ := p.Operator.Dims()
	all := make([]float64, m*n)
	gcg.DenseTo(all, p.Operator.Adjoint(r))
	for i := range g {
		g[i] = all[int(u.rows[i])*n+int(u.cols[i])]
	}
}
