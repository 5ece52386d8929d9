// Package proxplus is accelerated proximal gradient for the trace norm on factors, with partial singular value decompositions.
//
// Toh, Yun: An accelerated proximal gradient algorithm for nuclear norm regularized linear least squares problems, Pacific J.
// Optim. 6 (2010); [Dudik12 §4], which calls it Prox++; restarts: O'Donoghue, Candès, Found. Comput. Math. 15 (2015).
package proxplus

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/firstorder"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is, with the singular values of Y - ∇ℓ(Y)/L less λ/L,
//
//	W⁺ ← Σ max(σᵢ - λ/L, 0) aᵢbᵢᵀ,   Y ← W⁺ + (t-1)/t⁺ (W⁺ - W),   t⁺ = (1 + √(1 + 4t²))/2
//
// Y and W stay factors, and ∇ℓ is known by products. Only the singular triples above λ/L are found, by subspace iterations that
// begin at those of the last step, with Spare directions more; they widen where one of these is above λ/L too, and where they are
// more than a fifth of all, all triples are found. L is doubled until
// ℓ(W⁺) is below its quadratic bound at Y, and lowered a little from step to step. Where F rises momentum begins anew.
type Method struct {
	Spare  int // directions beyond the rank; 0 means 5
	Passes int // subspace iterations of a step at least; 0 means 2

	l        float64
	momentum firstorder.Momentum
	w        *gcg.Iterate // W
	before   *gcg.Iterate // the W before it
	basis    *gcg.Factor  // n×k, near the right singular vectors
	rng      *rand.Rand
	ahead    *gcg.State // at Y
	theta    float64    // (t-1)/t⁺ of the next Y
}

const (
	usualSpare  = 5
	usualPasses = 2
	// mostPasses ends a subspace iteration whose singular values still move.
	mostPasses = 30
	// manyOfAll is the part of all singular triples from which on it is faster to find all [Lin, Chen, Ma 2010, their choosvd].
	manyOfAll = 0.2
	// settled is by how much Σ max(σ - λ/L, 0) may change in the last pass, relative to itself.
	settled = 1e-9
	// doublings of L are more than any loss in float64 needs.
	doublings = 100
	// relax lowers L from step to step, as the curvature of a loss may fall on the way.
	relax = 0.9
	// leftByRounding is the part of the sizes of ℓ's terms that the condition on L leaves.
	leftByRounding = rounding.Null
	// independent is the norm below which a direction counts as none.
	independent = rounding.Null
)

// Name is prox++.
func (*Method) Name() string { return "prox++" }

// WithoutPolars is true.
func (*Method) WithoutPolars() bool { return true }

// Ask wants one atom, for the certificate.
func (*Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init needs the trace norm and a penalty λκ.
func (x *Method) Init(problem *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	p := view.Of(problem)
	if err := rival.TakesTraceNorm("prox++", p, ""); err != nil {
		return err
	}
	x.rng = rand.New(rand.NewPCG(s.Seed, 0x9e0))
	x.w, x.before, x.basis, x.theta, x.l, x.momentum = s.W.Clone(), s.W.Clone(), nil, 0, 0, firstorder.Momentum{}
	count := s.Count.Gradients
	x.ahead, err = s.InnerState(problem, s.W)
	s.Count.Gradients = count
	return err
}

// Step is one gradient at Y and as many shrunk decompositions as L needs.
func (x *Method) Step(ctx context.Context, problem *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	p, y := view.Of(problem), x.beyond()
	x.ahead.W = y
	x.ahead.Refresh(problem)
	g := x.ahead.Gradient(problem)
	if x.l == 0 {
		x.l = x.curvature(p, g)
	}
	x.l *= relax
	f, count := s.Objective(problem), s.Count.Gradients
	lambda := p.Penalty.Deriv(0)
	for range doublings {
		w, rho := x.shrunk(ctx, y, g, lambda)
		s.W, s.Rho = w, rho
		s.Refresh(problem)
		d := difference(w, y)
		slope := -gcg.InnerProduct(g, gcg.LowRank(d.U, d.V))
		square := frobenius(d)
		if ctx.Err() != nil || s.Loss <= x.ahead.Loss+slope+x.l/2*square+leftByRounding*(math.Abs(slope)+math.Abs(s.Loss)) {
			break
		}
		x.l *= 2
	}
	s.Count.Gradients = count
	x.before, x.w = x.w, s.W.Clone()
	if x.theta = x.momentum.Next(); s.Objective(problem) > f {
		x.theta = 0
		x.momentum.Restart()
	}
	return gcg.Moved{}, nil
}

// beyond is Y = (1+θ)W - θW₋ as factors.
func (x *Method) beyond() *gcg.Iterate {
	if x.theta == 0 || x.w.Rank() == 0 && x.before.Rank() == 0 {
		return x.w
	}
	y := combined(x.w, 1+x.theta, x.before, -x.theta)
	u, sigma, v := gcg.SVD(y.U, y.V, independent) // of fewer columns where both share a space
	for c, x := range sigma {
		u.ScaleColumn(c, x)
	}
	return &gcg.Iterate{M: y.M, N: y.N, U: u, V: v}
}

// combined is aV + bW as factors.
func combined(v *gcg.Iterate, a float64, w *gcg.Iterate, b float64) *gcg.Iterate {
	sum := &gcg.Iterate{M: v.M, N: v.N, U: gcg.NewFactor(v.M, 0), V: gcg.NewFactor(v.N, 0)}
	for _, part := range []struct {
		w  *gcg.Iterate
		by float64
	}{{v, a}, {w, b}} {
		if part.w.Rank() > 0 {
			u := part.w.U.Clone()
			u.Scale(part.by)
			sum.U, sum.V = gcg.Beside(sum.U, u), gcg.Beside(sum.V, part.w.V)
		}
	}
	return sum
}

// difference is W - Y.
func difference(w, y *gcg.Iterate) *gcg.Iterate { return combined(w, 1, y, -1) }

// frobenius is ‖U Vᵀ‖².
func frobenius(w *gcg.Iterate) float64 {
	return gcg.TMul(w.U, w.U).Dot(gcg.TMul(w.V, w.V))
}

// curvature is that of ℓ along its gradient, at most L.
func (x *Method) curvature(p *view.Problem, g gcg.Map) float64 {
	m, n := g.Dims()
	v, u := gcg.NewFactor(n, 1), gcg.NewFactor(m, 1)
	for j := range n {
		v.Row(j)[0] = x.rng.NormFloat64()
	}
	gcg.MulBlock(g, u, v) // a direction in the range of G
	gcg.TMulBlock(g, v, u)
	nu, nv := u.ColumnNorms()[0], v.ColumnNorms()[0]
	if !(nu > 0 && nv > 0) {
		return 1
	}
	z := make([]float64, len(x.ahead.Z))
	u.Scale(1 / nu)
	v.Scale(1 / nv)
	p.Apply(z, &gcg.Iterate{M: m, N: n, U: u, V: v})
	if l := p.CurvatureAlong(x.ahead, z); l > 0 && !math.IsInf(l, 1) {
		return l
	}
	return 1
}

// shrunk is argmin over W of ½‖W - Y - G/L‖² + λ/L ‖W‖_*, with its trace norm.
func (x *Method) shrunk(ctx context.Context, y *gcg.Iterate, g gcg.Map, lambda float64) (w *gcg.Iterate, rho float64) {
	sum := gcg.Scaled(g, 1/x.l)
	if y.Rank() > 0 {
		sum = gcg.Sum(gcg.LowRank(y.U, y.V), sum)
	}
	theta := lambda / x.l
	u, sigma, v := x.above(ctx, sum, theta)
	r := 0
	for r < len(sigma) && sigma[r] > theta {
		r++
	}
	if r == 0 {
		return &gcg.Iterate{M: y.M, N: y.N}, 0
	}
	u, v = u.Widen(r), v.Widen(r)
	for c := range r {
		root := math.Sqrt(sigma[c] - theta)
		u.ScaleColumn(c, root)
		v.ScaleColumn(c, root)
		rho += sigma[c] - theta
	}
	return &gcg.Iterate{M: y.M, N: y.N, U: u, V: v}, rho
}

// above are the singular triples of a matrix of which all with σ > θ are settled. Where these are many, it is decomposed whole.
func (x *Method) above(ctx context.Context, of gcg.Map, theta float64) (u *gcg.Factor, sigma []float64, v *gcg.Factor) {
	spare, passes := x.Spare, x.Passes
	if spare == 0 {
		spare = usualSpare
	}
	if passes == 0 {
		passes = usualPasses
	}
	rows, cols := of.Dims()
	most := min(rows, cols)
	x.widen(min(most, x.w.Rank()+spare), cols)
	last := math.Inf(-1)
	for pass := 1; ; pass++ {
		if float64(x.basis.K) > manyOfAll*float64(most) && rows <= view.MaxMatrix/cols {
			return whole(of)
		}
		u, sigma, v = x.pass(of)
		x.basis = v
		sum := 0.0
		for _, s := range sigma {
			sum += math.Max(s-theta, 0)
		}
		still := math.Abs(sum-last) <= settled*sum
		last = sum
		all := len(sigma) > 0 && sigma[len(sigma)-1] > theta && v.K < most
		if all {
			x.widen(min(most, 2*v.K), cols) // there may be more
		}
		if ctx.Err() != nil || !all && pass >= passes && still || pass >= mostPasses {
			return u, sigma, v
		}
	}
}

// whole are all singular triples.
func whole(of gcg.Map) (u *gcg.Factor, sigma []float64, v *gcg.Factor) {
	rows, cols := of.Dims()
	a := gcg.NewFactor(rows, cols)
	gcg.MulBlock(of, a, gcg.Identity(cols))
	return gcg.SVD(a, gcg.Identity(cols), independent)
}

// widen gives the basis so many directions: random ones beside those that it has.
func (x *Method) widen(k, n int) {
	have := 0
	if x.basis != nil {
		have = x.basis.K
	}
	if have >= k {
		x.basis = x.basis.Widen(k) // the leading ones
		return
	}
	f := gcg.NewFactor(n, k)
	for j := range n {
		row := f.Row(j)
		if have > 0 {
			copy(row, x.basis.Row(j)[:have])
		}
		for c := have; c < k; c++ {
			row[c] = x.rng.NormFloat64()
		}
	}
	x.basis = f
}

// pass is a subspace iteration: the singular triples of QQᵀM, Q an orthonormal basis of M X.
func (x *Method) pass(m gcg.Map) (u *gcg.Factor, sigma []float64, v *gcg.Factor) {
	rows, cols := m.Dims()
	mx := gcg.NewFactor(rows, x.basis.K)
	gcg.MulBlock(m, mx, x.basis)
	q, _ := gcg.Orthonormal(mx, independent)
	if q.K == 0 {
		return gcg.NewFactor(rows, 0), nil, x.basis
	}
	t := gcg.NewFactor(cols, q.K)
	gcg.TMulBlock(m, t, q)
	return gcg.SVD(q, t, independent)
}
