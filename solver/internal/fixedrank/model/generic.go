package model

import (
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

// A genericModel is a Model for any operator and any loss with second derivatives, by way of predictions.
type genericModel struct {
	p          *view.Problem
	here, base *modelPoint   // that of the last Value, and of the last Gradient
	spare      *gcg.State    // of a former point, whose vectors the next one overwrites, or nil
	inFloat64  bool          // no products in float32
	fixed      []*gcg.Factor // the matrices of a quadratic loss, once they are known
	reach      float64       // of secants, or 0 before the first step
}

// A modelPoint is some factors with their own predictions and intercept, and what is known of the derivatives there.
type modelPoint struct {
	s      *gcg.State
	grad   gcg.Map                   // or nil: some operators form it when it is first used
	minus  *gcg.Factor32             // -grad as a matrix, or nil until it is used
	free   *hessian.Absorber         // or nil
	hess   gcg.FactorHessian         // or nil until it is used
	grams  []*gcg.Factor             // of the columns of W, or nil
	asked  bool                      // for grams
	block  func(z []float32, lo int) // replaces z by ∇²L z
	curved *view.Problem             // see curved, or nil until it is used
}

// Value goes to some factors, from the point of the last gradient. Steps that are too long come back to that point for
// nothing; and an intercept that was fitted far away is no start for the next.
func (g *genericModel) Value(u, v *gcg.Factor) float64 {
	if g.base != nil && u.Equal(g.base.s.W.U) && v.Equal(g.base.s.W.V) {
		if g.here != g.base {
			g.spare = g.here.s
		}
		g.here = g.base
		return g.here.s.Loss
	}
	from := g.here
	if g.base != nil {
		from = g.base
	}
	s := &gcg.State{Intercept: slices.Clone(from.s.Intercept), Loss: from.s.Loss}
	s.W = &gcg.Iterate{M: u.Height(), N: v.Height(), U: u, V: v}
	if g.here != g.base {
		g.spare = g.here.s
	}
	if g.spare != nil {
		s.Z, s.R, g.spare = g.spare.Z, g.spare.R, nil
	} else {
		s.Z, s.R = memory.Room[float64](len(from.s.Z)), memory.Room[float64](len(from.s.R))
	}
	if s.Intercept != nil {
		copy(s.Z, from.s.Z) // whose level is a start
	}
	var guess func(z []float64) []float64
	if from.free != nil {
		guess = from.free.Follow
	}
	s.Approach(g.p.Problem, guess)
	g.here = &modelPoint{s: s}
	return s.Loss
}

// Began knows no loss: predictions are computed anew.
func (g *genericModel) Began() (loss float64, ok bool) { return 0, false }

// Gradient is taken at the best intercept: a little beside that, it is off by as much times the means of the features.
func (g *genericModel) Gradient() gcg.Map {
	if g.here.grad == nil {
		if g.here.s.Intercept != nil {
			g.here.s.Recentre(g.p.Problem)
		}
		g.here.grad = g.here.s.Gradient(g.p.Problem)
	}
	if g.base != nil && g.base != g.here {
		if hessian.TakesSecants(g.p) {
			g.reach = hessian.ReachPart * hessian.RmsDistance(g.p.Problem, g.base.s.Z, g.here.s.Z)
		}
		g.spare = g.base.s
	}
	g.base = g.here
	return g.here.grad
}

// curved is the problem with the second derivatives that models take here: along secants, once a step has told their length.
func (g *genericModel) curved() *view.Problem {
	if g.here.curved == nil {
		g.here.curved = g.p
		if g.reach > 0 {
			g.here.curved = hessian.SecantAt(g.p, g.here.s.Z, g.reach)
		}
	}
	return g.here.curved
}

// UseFloat64 does without Curvature32.
func (g *genericModel) UseFloat64() { g.inFloat64 = true }

// WriteTo takes the best intercept first, where the gradient has not.
func (g *genericModel) WriteTo(s *gcg.State) {
	if s.Intercept != nil && g.here.grad == nil { // steps are content with less
		g.here.s.Recentre(g.p.Problem)
	}
	copy(s.Z, g.here.s.Z)
	copy(s.R, g.here.s.R)
	copy(s.Intercept, g.here.s.Intercept)
	s.Loss, s.Polar, s.Exact = g.here.s.Loss, nil, true
	g.repay()
}

// repay gives the memory of all points back.
func (g *genericModel) repay() {
	points := []*gcg.State{g.here.s}
	if g.base != nil && g.base != g.here {
		points = append(points, g.base.s)
	}
	if g.spare != nil {
		points = append(points, g.spare)
	}
	for _, s := range points {
		memory.Repay(s.Z)
		memory.Repay(s.R)
	}
	*g = genericModel{}
}

// Curvature is known always.
func (g *genericModel) Curvature() Curvature[float64] {
	return withApproximation(g, Curvature[float64]{To: g.curvatureTo})
}

// Curvature32 is known where the operator has products in float32.
func (g *genericModel) Curvature32() (c Curvature[float32], ok bool) {
	if g.p.Hessian == nil || g.inFloat64 {
		return c, false
	}
	return withApproximation(g, Curvature[float32]{To: g.curvature32To}), true
}

// curvature32To is curvatureTo in float32.
func (g *genericModel) curvature32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	at := g.here
	g.hessian32To(gu, gv, du, dv)
	if at.minus == nil {
		at.minus = minus32(g.Gradient())
	}
	if at.minus != nil {
		gu.AddMul(at.minus, gcg.Padded(dv))
		down := gcg.TMul(at.minus, du)
		kernel.Axpy(1, down.Data[:len(gv.Data)], gv.Data)
		gcg.Repay(down)
		return
	}
	ru, rv := gcg.Both(g.Gradient(), gcg.FactorIn[float64](du), gcg.FactorIn[float64](dv))
	gu.AddScaled(-1, gcg.FactorIn[float32](ru))
	gv.AddScaled(-1, gcg.FactorIn[float32](rv))
}

// hessian32To is hessianTo in float32.
func (g *genericModel) hessian32To(gu, gv, du, dv *gcg.Factor32) {
	at := g.here
	if at.hess == nil {
		at.hess, at.block = g.p.Hessian.HessianAt(at.s.W.U, at.s.W.V), g.curved().HessBlock32(at.s)
	}
	var absorb func(all []float32)
	if free := at.absorber(g.curved()); free != nil {
		absorb = func(all []float32) { free.Reduce32(all, at.block) }
	}
	at.hess(gu, gv, du, dv, at.block, absorb)
}

// minus32 is -G as a matrix, or nil where that would be large or G cannot be written out.
func minus32(g gcg.Map) *gcg.Factor32 {
	m, n := g.Dims()
	if !gcg.HasRows(g) || m*n > view.MaxMatrix {
		return nil
	}
	all, f := memory.Borrow[float64](m*n), gcg.NewFactorOf[float32](m, n)
	defer memory.Repay(all)
	gcg.DenseTo(all, g)
	for i := range m {
		row := f.Row(i)
		for j, x := range all[i*n : (i+1)*n] {
			row[j] = float32(-x)
		}
	}
	return f
}

// curvatureTo is Curvature.To in float64.
func (g *genericModel) curvatureTo(gu, gv, u, v, du, dv *gcg.Factor) {
	g.hessianTo(gu, gv, u, v, du, dv)
	ru, rv := gcg.Both(g.Gradient(), du, dv)
	gu.AddScaled(-1, ru)
	gv.AddScaled(-1, rv)
}

// hessianTo writes gu = E V and gv = Eᵀ U, E = A*(∇²L A(dU Vᵀ + U dVᵀ)) less what an intercept absorbs.
func (g *genericModel) hessianTo(gu, gv, u, v, du, dv *gcg.Factor) {
	at := g.here
	if grams := g.grams(); grams != nil {
		gramsTo(gu, gv, u, v, du, dv, grams)
		return
	}
	if v.Shared == nil {
		own := dv
		dv = own.Whole()
		defer gcg.RepayWhole(dv, own)
	}
	e := make([]float64, len(at.s.Z))
	left, right := narrowest(gcg.Beside(du, u), gcg.Beside(v, dv))
	g.p.Apply(e, &gcg.Iterate{M: u.Height(), N: v.Height(), U: left, V: right})
	g.curved().HessTo(e, at.s.Z, at.s.R, e)
	if free := at.absorber(g.curved()); free != nil {
		free.Reduce(e)
	}
	eu, ev := gcg.Both(g.p.Operator.Adjoint(e), u, v)
	copy(gu.Data, eu.Data)
	copy(gv.Data, ev.Between(gv.First(), gv.First()+gv.Rows).Data) // v may have all rows, and so has ev then
}

// absorber is that of the point, or nil without an intercept.
func (at *modelPoint) absorber(p *view.Problem) *hessian.Absorber {
	if at.free == nil {
		at.free, _ = hessian.NewAbsorber(p, at.s, nil)
	}
	return at.free
}

// narrowest is U and V, or I and VUᵀ where U has more columns than rows, whose product is the same and costs less.
func narrowest(u, v *gcg.Factor) (left, right *gcg.Factor) {
	if u.K <= u.Rows || u.Shared != nil {
		return u, v
	}
	return gcg.Identity(u.Rows), gcg.Mul(v, factor.Transposed(u, u.Rows))
}

// withApproximation adds what the operator knows of the second derivatives; where that is nothing, the curvature along W itself,
// spread evenly.
func withApproximation[T gcg.Real](g *genericModel, c Curvature[T]) Curvature[T] {
	switch p := g.p; {
	case p.Fused != nil:
		c.Diagonals = observedDiagonals(p.Fused, p.CurvatureAt(p.Curved, g.here.s.Z))
		c.Sampled = true
	case p.Kronecker != nil:
		c.Separable = func(b *Basis) (l, r Spectrum[float64]) { return b.Separable(g.curved(), g.here.s) }
	default:
		c.Diagonals = g.evenDiagonals
	}
	return c
}

// evenDiagonals are those of the curvature along W, ⟨W, A*(∇²L A(W))⟩/‖W‖², as if it were the same everywhere.
func (g *genericModel) evenDiagonals(p, q *gcg.Factor) (da, db *gcg.Factor) {
	at := g.here.s
	z := make([]float64, len(at.Z))
	g.p.Apply(z, at.W)
	w := gcg.Atom{U: at.W.U, V: at.W.V}
	mean := g.curved().CurvatureAlong(at, z) / w.Frobenius2()
	return spread(p, q, mean), spread(q, p, mean)
}

// spread is mean·‖column c of other‖² in column c of every row.
func spread(f, other *gcg.Factor, mean float64) *gcg.Factor {
	d := factor.Blank(f)
	gram := gcg.TMul(other, other)
	for i := range d.Rows {
		for c := range d.K {
			d.Row(i)[c] = mean * gram.Row(c)[c]
		}
	}
	return d
}

// observedCurvature is the curvature of c times the squared loss, by two passes of the operator.
func observedCurvature[T gcg.Real](op hessian.DiagonalOperator, c float64, w *weights,
	to func(gu, gv, u, v, du, dv *gcg.FactorOf[T]), normal func(gx, x, v *gcg.FactorOf[T])) Curvature[T] {
	return Curvature[T]{To: to, Normal: normal,
		Diagonals: observedDiagonals(op, c),
		Sampled:   true,
		Weights:   func() Weights { return w.of(op, c) },
	}
}

// observedSquares are the diagonals of the second derivatives of c times the squared loss, for U and for V: sums of the
// observed squares of the other factor.
func observedSquares(op hessian.DiagonalOperator, u2, v2 *gcg.Factor, c float64) (du, dv *gcg.Factor) {
	du, dv = factor.Blank(u2), factor.Blank(v2)
	op.DiagonalTo(du, dv, u2, v2)
	if c != 1 {
		du.Scale(c)
		dv.Scale(c)
	}
	return du, dv
}

// observedDiagonals are these for factors P and Q of orthonormal columns.
func observedDiagonals(op hessian.DiagonalOperator, c float64) func(p, q *gcg.Factor) (da, db *gcg.Factor) {
	return func(p, q *gcg.Factor) (da, db *gcg.Factor) {
		u2, v2 := factor.SquaredEntries(p), factor.SquaredEntries(q)
		defer gcg.Repay(u2, v2)
		return observedSquares(op, u2, v2, c)
	}
}

// grams are the second derivatives for each column of W, where these are all that there are and worth forming; or nil.
func (g *genericModel) grams() []*gcg.Factor {
	at := g.here
	if g.p.Grams == nil || at.asked || !g.p.Separable {
		return at.grams
	}
	at.asked = true
	if at.grams = g.fixed; at.grams == nil {
		at.grams = g.p.Grams.Grams(g.curved().SeparableHess(at.s), at.s.Intercept != nil)
	}
	if g.p.Quadratic() {
		g.fixed = at.grams
	}
	return at.grams
}

// gramsTo writes gu = E V and gv = Eᵀ U, where a column of E is that of dU Vᵀ + U dVᵀ times its matrix: 2m(m + 4k) flops for
// each.
func gramsTo(gu, gv, u, v, du, dv *gcg.Factor, grams []*gcg.Factor) {
	w, right := gcg.Beside(du, u), gcg.Beside(v, dv)
	m, k := u.Rows, w.Stride
	e := gcg.NewFactor(len(grams), m) // Eᵀ
	par.For(par.Grain(len(grams), 16, 16), func(b int) {
		lo, hi := par.Range(b, par.Grain(len(grams), 16, 16), len(grams))
		x := make([]float64, (hi-lo)*m)
		kernel.GemmNT(x, right.Data[lo*k:hi*k], w.Data, hi-lo, m, k)
		for c := lo; c < hi; c++ {
			for i, d := range x[(c-lo)*m : (c-lo+1)*m] {
				kernel.Axpy(d, grams[c].Row(i), e.Row(c))
			}
		}
	})
	copy(gu.Data, gcg.TMul(e, v).Data)
	copy(gv.Data, gcg.Mul(e, gcg.Padded(u)).Data)
}

// weights are Σⱼ ∇²L_ij of rows and Σᵢ ∇²L_ij of columns for c times the squared loss, a column each. They are computed
// once.
type weights struct{ rows, columns *gcg.Factor }

// of is the weights of rows (m×1) and of columns (n×1).
func (w *weights) of(op hessian.DiagonalOperator, c float64) Weights {
	if w.rows == nil {
		left, right := gcg.FactorsFor(op)
		w.rows, w.columns = observedSquares(op, factor.Ones(left), factor.Ones(right), c)
	}
	return Weights{w.rows, w.columns, w.rows, w.columns}
}
