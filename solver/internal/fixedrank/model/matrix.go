package model

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
	"gonum.org/v1/gonum/mat"
)

// A Matrix is H = Aᵀ∇²L A on all entries of an m×n W, less what an intercept absorbs. Where features are alike conjugate
// gradients take hundreds of products with the data at a point, and forming H costs as much as tens.
type Matrix struct {
	M, N   int
	stride int         // of h: mn, and n more where there are constants
	h      []float64   // by entries in rows of W, and constants after them
	Metric *gcg.Factor // XᵀX of the features, m×m, in the scale of H
}

// columnsOf are the columns of A for all entries of W, and for the constants of an intercept as those of one more feature, 1.
func columnsOf(p *view.Problem) []gcg.Column {
	m, n, nobs := p.Operator.Dims()
	rows, cols := make([]int32, m*n), make([]int32, m*n)
	for i := range rows {
		rows[i], cols[i] = int32(i/n), int32(i%n)
	}
	columns := p.Columns.Columns(rows, cols)
	if p.Intercept {
		one := slices.Repeat([]float64{1}, nobs/n)
		for c := range n {
			columns = append(columns, gcg.Column{Values: one, Offset: c, Stride: n})
		}
	}
	return columns
}

// features is XᵀX, of features less their means where there is an intercept; of many features it is the diagonal of that.
func features(p *view.Problem) *gcg.Factor {
	m, _, nobs := p.Operator.Dims()
	gram, left, _ := p.Kronecker.Kronecker(slices.Repeat([]float64{1}, nobs), p.Intercept)
	if gram != nil {
		return factor.Trimmed(gram, m)
	}
	f := gcg.NewFactor(m, m)
	for i, x := range left {
		f.Row(i)[i] = x
	}
	return f
}

// newMatrix is that of p, which has the second derivatives that models take, at the state.
func newMatrix(p *view.Problem, s *gcg.State, f *FormPolicy) *Matrix {
	m, n, _ := p.Operator.Dims()
	all := hessian.NewParts(p, s, f.columns)
	all.From(p, s, f.columns).Complete(0)
	w := &Matrix{m, n, len(f.columns), all.Whole(), f.gram.Clone()}
	if s.Intercept != nil {
		w.absorb(p, hessian.OneGroup(m * n).Members[0])
	}
	if all := float64(n) * f.gram.Trace(); all > 0 {
		w.Metric.Scale(math.Max(w.trace(), 0) / all)
	}
	return w
}

// trace is that of H, without the constants.
func (w *Matrix) trace() (sum float64) {
	for i := range w.M * w.N {
		sum += w.Row(i)[i]
	}
	return sum
}

// absorb takes what the constants absorb off the rows of entries.
func (w *Matrix) absorb(p *view.Problem, entries []int) {
	t := len(entries)
	constants, v := mat.NewSymDense(w.N, nil), make([]float64, 0, t*w.N)
	for i := range w.N {
		for j := range i + 1 {
			constants.SetSym(i, j, w.Row(t + i)[t+j])
		}
	}
	for i := range entries {
		v = append(v, w.Row(i)[t:]...)
	}
	a := &hessian.Absorber{E: p.InterceptMap(), Inverse: hessian.PseudoInverse(constants)}
	a.Profile(v, t, func(i int) (h []float64, columns []int) { return w.Row(i), entries })
}

// Row is a row of H, with the constants behind the entries.
func (w *Matrix) Row(i int) []float64 { return w.h[i*w.stride : (i+1)*w.stride] }

// A FormPolicy decides when H is formed: once products with the data have cost as much as it does. From then on every point
// has one. That of an earlier point serves while its steps keep what they promise, as they do from one λ of a path to the
// next, and bring the gap down by as much as pays for itself. Costs are in flops for a row of the data. Without formed second
// derivatives mfeat mor at 1e-4 λ_max takes 36 times as long.
type FormPolicy struct {
	p       *view.Problem
	data    view.DataKey
	price   float64      // of H and of a step with it, or 0 where H is not to be formed
	Spent   float64      // on products before the present Newton steps
	columns []gcg.Column // that H is formed of, once it was
	gram    *gcg.Factor  // of features

	last      *Matrix // that was formed, or nil
	Earlier   bool    // and is that of an earlier point
	Kept      bool    // F fell by about what was promised in the last step with it
	gapWithin float64 // the gap within the spaces of W before that step, +Inf in another run
}

// Of makes it that of a problem: a path has one for each λ, and what is known of the data stays.
func (f *FormPolicy) Of(p *view.Problem) {
	if f.p == nil || !f.data.Of(p.Problem) {
		*f = FormPolicy{price: priceOf(p), data: view.KeyOf(p.Problem)}
	}
	f.p, f.gapWithin = p, math.Inf(1)
}

// Product is the cost of a product with the data at rank k.
func (f *FormPolicy) Product(k int) float64 {
	m, n, _ := f.p.Operator.Dims()
	return float64(2 * k * (2*m + 4*n))
}

// Left is how many more products conjugate gradients may take at rank k, after so many in the present Newton steps.
func (f *FormPolicy) Left(k, products int) int {
	if f.price == 0 {
		return math.MaxInt
	}
	return max(0, int((f.price-f.Spent)/f.Product(k))-products)
}

// An Effort is what Newton steps have spent at a point, and what they have come to.
type Effort struct {
	Rank      int     // the rank
	Products  int     // with the Hessian, in the present Newton steps
	GapWithin float64 // the gap within the spaces of W
	Now       bool    // H is to be formed now: products led nowhere
}

// Formed is H at the present point. If it is wanted now, half of what products might yet have cost counts as spent.
func (g *genericModel) Formed(f *FormPolicy, at Effort) *Matrix {
	if f.price == 0 || !at.Now && f.Left(at.Rank, at.Products) > 0 {
		return nil
	}
	if at.Now {
		f.Spent = math.Max(f.Spent, (f.Spent+f.price)/2)
	}
	if f.columns == nil {
		f.columns, f.gram = columnsOf(g.p), features(g.p)
	}
	f.Earlier = !at.Now && view.IsLinear(g.p.Penalty) && f.last != nil && f.Kept && at.GapWithin <= keptPart*f.gapWithin
	if !f.Earlier {
		f.last = nil // there may be no room for two
		f.last = newMatrix(g.curved(), g.here.s, f)
	}
	f.gapWithin, f.Kept = at.GapWithin, false
	return f.last
}

// keptPart is what a step with second derivatives of an earlier point must bring the gap within the spaces of W down to for
// another such step.
const keptPart = 0.3

// stepTime is how much longer flops of a compression and a factor take than those of products, which are in float32: a point
// takes several factors. With 1 softmax on mfeat fou takes twice as long and zer at 3e-5 λ_max 1.9 times; with 5 zer at 1e-4
// λ_max 1.3 times and mor 1.16.
const stepTime = 2

// priceOf is the cost of H and of a step with it; 0 where there is no room for it, or where features are sparse and the
// loss couples the classes of a row.
func priceOf(p *view.Problem) float64 {
	m, n, nobs := p.Operator.Dims()
	switch {
	case p.Columns == nil || p.IsShared() || p.Kronecker == nil || !p.Separable && n != p.Loss.Stride():
		return 0
	case m*n > maxEntries || m*(nobs/n) > maxValues || p.Intercept && !p.InterceptMap().ByColumn(n):
		return 0
	case !p.Separable && !hessian.AllDense(p, p.Columns.Columns([]int32{0}, []int32{0})):
		return 0
	}
	mn := float64(m * n)
	step := stepTime * (4*mn*mn*float64(m+n) + mn*mn*mn/3) / float64(nobs/n) // to compress it to tangents, and a factor of that
	if p.Separable {
		return 2*mn*float64(m) + step
	}
	byClass, byFeature := hessian.FormTimes(m*n, m, n)
	return min(byClass, byFeature) + step
}

const (
	maxEntries = 2500    // of W: H takes 50 MB then
	maxValues  = 1 << 24 // of the features, which are copied by columns
)
