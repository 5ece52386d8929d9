package solver

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
	"gonum.org/v1/gonum/mat"
)

// A wholeHessian is H = Aᵀ∇²L A on all entries of a small W, less what an intercept absorbs. Where features are alike
// conjugate gradients take hundreds of products with the data at a point, and forming H costs as much as tens.
type wholeHessian struct {
	m, n   int
	stride int
	h      []float64   // by entries in rows of W, and constants after them
	metric *gcg.Factor // XᵀX of the features, m×m, in the scale of H
}

const (
	maxWhole       = 2500    // entries of W: 50 MB
	maxWholeValues = 1 << 24 // values of the features, which are copied by columns
)

// A formation decides when H is formed: once products with the data have cost as much as it does. From then on every point
// has one. That of an earlier point serves while its steps keep what they promise, as they do from one λ of a path to the
// next, and bring the gap down by as much as pays for itself. Costs are in flops for a row of the data.
type formation struct {
	p       *view.Problem
	data    data
	price   float64      // of H and of a step with it, or 0 where H is not to be formed
	spent   float64      // on products before the present Newton steps
	columns []gcg.Column // that H is formed of, once it was
	gram    *gcg.Factor  // of features

	last    *wholeHessian // that was formed, or nil
	earlier bool          // and is that of an earlier point
	kept    bool          // what its last step promised
	inner   float64       // gap before that, +Inf in another run
}

// of makes it that of a problem: a path has one for each λ, and what is known of the data stays.
func (f *formation) of(p *view.Problem) {
	if f.p == nil || !f.data.of(p.Problem) {
		*f = formation{price: wholePrice(p), data: dataOf(p.Problem)}
	}
	f.p, f.inner = p, math.Inf(1)
}

// product is the cost of a product with the data at rank k.
func (f *formation) product(k int) float64 {
	m, n, _ := f.p.Operator.Dims()
	return float64(2 * k * (2*m + 4*n))
}

// left is how many more products conjugate gradients may take at rank k, after so many in the present Newton steps.
func (f *formation) left(k, products int) int {
	if f.price == 0 {
		return math.MaxInt
	}
	return max(0, int((f.price-f.spent)/f.product(k))-products)
}

// formed is H at the present point. If it is wanted now, as products lead nowhere, half of what they might yet have cost
// counts as spent.
func (g *genericModel) formed(n *newton, now bool) *wholeHessian {
	f := n.formation
	if f.price == 0 || !now && f.left(n.k(), n.products) > 0 {
		return nil
	}
	if now {
		f.spent = math.Max(f.spent, (f.spent+f.price)/2)
	}
	if f.columns == nil {
		f.columns, f.gram = wholeColumns(g.p), features(g.p)
	}
	if f.earlier = !now && linear(g.p.Penalty) && f.last != nil && f.kept && n.inner <= keptPart*f.inner; !f.earlier {
		f.last = nil // there may be no room for two
		f.last = newWholeHessian(g.curved(), g.here.s, f)
	}
	f.inner, f.kept = n.inner, false
	return f.last
}

// keptPart is what a step with second derivatives of an earlier point must bring the inner gap down to for another such
// step.
const keptPart = 0.3

// stepTime is how much longer flops of a compression and a factor take than those of products, which are in float32: a point takes several
// factors. With 1 in its place smoothed hinges and softmax on mfeat fou take 1.5 times as long.
const stepTime = 5

// wholePrice is the cost of H and of a step with it; 0 where there is no room for it, or where features are sparse and the
// loss couples the classes of a row.
func wholePrice(p *view.Problem) float64 {
	m, n, nobs := p.Operator.Dims()
	if p.Columns == nil || p.Kronecker == nil || !p.Separable && n != p.Loss.Stride() || m*n > maxWhole || m*(nobs/n) > maxWholeValues || p.Intercept && !p.Places().ByColumn(n) {
		return 0
	}
	if !p.Separable && !allDense(p, p.Columns.Columns([]int32{0}, []int32{0})) {
		return 0
	}
	mn := float64(m * n)
	step := stepTime * (4*mn*mn*float64(m+n) + mn*mn*mn/3) / float64(nobs/n) // see newCompressed, and a factor of what that gives
	if p.Separable {
		return 2*mn*float64(m) + step
	}
	byClass, byFeature := formTimes(m*n, m, n)
	return min(byClass, byFeature) + step
}

// wholeColumns are the columns of all entries, and of the constants of an intercept as those of one more feature, which is
// 1.
func wholeColumns(p *view.Problem) []gcg.Column {
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
		return trimmed(gram, m)
	}
	f := gcg.NewFactor(m, m)
	for i, x := range left {
		f.Row(i)[i] = x
	}
	return f
}

// newWholeHessian is that of p, which has the second derivatives that models take, at the state.
func newWholeHessian(p *view.Problem, s *gcg.State, f *formation) *wholeHessian {
	m, n, _ := p.Operator.Dims()
	all := newParts(p, s, f.columns)
	all.from(p, s, f.columns).complete(0)
	w := &wholeHessian{m, n, len(f.columns), all.whole(), f.gram.Clone()}
	if s.Intercept != nil {
		w.absorb(p, oneGroup(m * n).members[0])
	}
	if all := float64(n) * f.gram.Trace(); all > 0 {
		w.metric.Scale(math.Max(w.trace(), 0) / all)
	}
	return w
}

// trace is that of H, without the constants.
func (w *wholeHessian) trace() (sum float64) {
	for i := range w.m * w.n {
		sum += w.row(i)[i]
	}
	return sum
}

// absorb takes what the constants absorb off the rows of entries.
func (w *wholeHessian) absorb(p *view.Problem, entries []int) {
	t := len(entries)
	inner, v := mat.NewSymDense(w.n, nil), make([]float64, 0, t*w.n)
	for i := range w.n {
		for j := range i + 1 {
			inner.SetSym(i, j, w.row(t + i)[t+j])
		}
	}
	for i := range entries {
		v = append(v, w.row(i)[t:]...)
	}
	a := &absorber{e: p.Places(), inverse: pseudoInverse(inner)}
	a.profile(v, t, func(i int) (h []float64, columns []int) { return w.row(i), entries })
}

// row is a row of H, with the constants behind the entries.
func (w *wholeHessian) row(i int) []float64 { return w.h[i*w.stride : (i+1)*w.stride] }
