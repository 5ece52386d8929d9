package solver

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// genericModel works for any operator and any loss with second derivatives, through predictions.
type genericModel struct {
	p          *gcg.Problem
	here, home *modelPoint   // that of the last value, and of the last gradient
	spare      *gcg.State    // of a former point, whose vectors the next one overwrites, or nil
	sharp      bool          // no products in float32
	fixed      []*gcg.Factor // the matrices of a quadratic loss, once they are known
	reach      float64       // of secants, or 0 before the first step
}

// A modelPoint is some factors with their own predictions and intercept, and what is known of the derivatives there.
type modelPoint struct {
	s      *gcg.State
	grad   gcg.Map                   // or nil: some operators form it when it is first used
	minus  *gcg.Factor32             // -grad as a matrix, or nil until it is used
	free   *absorber                 // or nil
	hess   gcg.FactorHessian         // or nil until it is used
	grams  []*gcg.Factor             // of the columns of W, or nil
	asked  bool                      // for grams
	block  func(z []float32, lo int) // replaces z by ∇²L z
	curved *gcg.Problem              // see curved, or nil until it is used
}

// value goes to some factors from where the last gradient was taken, to which steps that are too long come back for nothing: an
// intercept that was fitted far from there is no start for the next.
func (g *genericModel) value(u, v *gcg.Factor) float64 {
	if g.home != nil && slices.Equal(u.Data, g.home.s.W.U.Data) && slices.Equal(v.Data, g.home.s.W.V.Data) {
		if g.here != g.home {
			g.spare = g.here.s
		}
		g.here = g.home
		return g.here.s.Loss
	}
	from := g.here
	if g.home != nil {
		from = g.home
	}
	s := &gcg.State{W: &gcg.Iterate{M: u.Rows, N: v.Rows, U: u, V: v}, Intercept: slices.Clone(from.s.Intercept), Loss: from.s.Loss}
	if g.here != g.home {
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
		guess = from.free.follow
	}
	s.Approach(g.p, guess)
	g.here = &modelPoint{s: s}
	return s.Loss
}

func (g *genericModel) began() (loss float64, ok bool) { return 0, false }

// gradient is that at the best intercept: a little beside it, it is off by as much times the means of the features.
func (g *genericModel) gradient() gcg.Map {
	if g.here.grad == nil {
		if g.here.s.Intercept != nil {
			g.here.s.Recentre(g.p)
		}
		g.here.grad = g.here.s.Gradient(g.p)
	}
	if g.home != nil && g.home != g.here {
		if bends(g.p) {
			g.reach = reachPart * rmsDistance(g.p, g.home.s.Z, g.here.s.Z)
		}
		g.spare = g.home.s
	}
	g.home = g.here
	return g.here.grad
}

// curved is the problem with the second derivatives that models take here.
func (g *genericModel) curved() *gcg.Problem {
	if g.here.curved == nil {
		g.here.curved = g.p
		if g.reach > 0 {
			g.here.curved = secantAt(g.p, g.here.s.Z, g.reach)
		}
	}
	return g.here.curved
}

// reachPart is the reach of secants in parts of what the last step changed in z, by root mean squares; 0.3, 1 and 10 take more steps.
const reachPart = 3

func (g *genericModel) curvature() curvature[float64] {
	return curvature[float64]{to: g.curvatureTo, preconditioner: genericPreconditioner[float64](g)}
}

// curvature32 is there where the operator has products in float32.
func (g *genericModel) curvature32() (c curvature[float32], ok bool) {
	if _, ok := g.p.Operator.(gcg.HessianOperator); !ok || g.sharp {
		return c, false
	}
	return curvature[float32]{to: g.curvature32To, preconditioner: genericPreconditioner[float32](g)}, true
}

func (g *genericModel) curvature32To(gu, gv, u, v, du, dv *gcg.Factor32) {
	at := g.here
	g.hessian32To(gu, gv, du, dv)
	if at.minus == nil {
		at.minus = minus32(g.gradient())
	}
	if at.minus != nil {
		gu.AddMul(at.minus, gcg.Padded(dv))
		down := gcg.TMul(at.minus, du)
		kernel.Axpy(1, down.Data[:len(gv.Data)], gv.Data)
		gcg.Repay(down)
		return
	}
	ru, rv := gcg.Both(g.gradient(), gcg.FactorIn[float64](du), gcg.FactorIn[float64](dv))
	gu.AddScaled(-1, gcg.FactorIn[float32](ru))
	gv.AddScaled(-1, gcg.FactorIn[float32](rv))
}

// hessian32To is hessianTo in float32.
func (g *genericModel) hessian32To(gu, gv, du, dv *gcg.Factor32) {
	at := g.here
	if at.hess == nil {
		at.hess, at.block = g.p.Operator.(gcg.HessianOperator).HessianAt(at.s.W.U, at.s.W.V), g.curved().HessBlock32(at.s)
	}
	var absorb func(all []float32)
	if free := at.absorber(g.curved()); free != nil {
		absorb = func(all []float32) { free.reduce32(all, at.block) }
	}
	at.hess.ProductTo(gu, gv, du, dv, at.block, absorb)
}

// minus32 is -G, or nil where it would be large or G cannot be written out.
func minus32(g gcg.Map) *gcg.Factor32 {
	m, n := g.Dims()
	if _, ok := g.(gcg.DenseMap); !ok || m*n > maxMatrix {
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

func (g *genericModel) curvatureTo(gu, gv, u, v, du, dv *gcg.Factor) {
	g.hessianTo(gu, gv, u, v, du, dv)
	ru, rv := gcg.Both(g.gradient(), du, dv)
	gu.AddScaled(-1, ru)
	gv.AddScaled(-1, rv)
}

// hessianTo writes gu = E V and gv = Eᵀ U.
func (g *genericModel) hessianTo(gu, gv, u, v, du, dv *gcg.Factor) {
	at := g.here
	if grams := g.grams(); grams != nil {
		gramsTo(gu, gv, u, v, du, dv, grams)
		return
	}
	e := make([]float64, len(at.s.Z))
	left, right := narrowest(gcg.Beside(du, u), gcg.Beside(v, dv))
	g.p.Apply(e, &gcg.Iterate{M: u.Rows, N: v.Rows, U: left, V: right})
	g.curved().HessTo(e, at.s.Z, at.s.R, e)
	if free := at.absorber(g.curved()); free != nil {
		free.reduce(e)
	}
	eu, ev := gcg.Both(g.p.Operator.Adjoint(e), u, v)
	copy(gu.Data, eu.Data)
	copy(gv.Data, ev.Data)
}

// absorber is that of the point, nil where there is no intercept.
func (at *modelPoint) absorber(p *gcg.Problem) *absorber {
	if at.free == nil {
		at.free, _ = newAbsorber(p, at.s, nil)
	}
	return at.free
}

// narrowest is U and V, or I and VUᵀ where U has more columns than rows: the same product of matrices, at less cost.
func narrowest(u, v *gcg.Factor) (left, right *gcg.Factor) {
	if u.K <= u.Rows {
		return u, v
	}
	return gcg.Identity(u.Rows), gcg.Mul(v, transposed(u, u.Rows))
}

// genericPreconditioner takes what the operator knows; else the curvature along W itself, spread evenly.
func genericPreconditioner[T gcg.Real](g *genericModel) func(n *newton) preconditioner[T] {
	return func(n *newton) preconditioner[T] {
		switch op := g.p.Operator.(type) {
		case gcg.FusedOperator:
			return withTail(n, observedJacobi[T](op, n, gcg.CurvatureAt(g.p.Loss.(gcg.CurvedLoss), g.here.s.Z)))
		case gcg.KroneckerOperator:
			l, r := n.basis.separable(g.curved(), op, g.here.s)
			return newKronecker[T](n, l, r)
		}
		z := make([]float64, len(g.here.s.Z))
		g.p.Apply(z, g.here.s.W)
		u, v := n.factors()
		w := gcg.Atom{U: u, V: v}
		mean := curvatureAlong(g.curved(), g.here.s, z) / w.Frobenius2()
		return newJacobi[T](n, spread(n.left, n.right, mean), spread(n.right, n.left, mean))
	}
}

// spread is mean·‖other column c‖² in every row.
func spread(f, other *gcg.Factor, mean float64) *gcg.Factor {
	d := gcg.NewFactor(f.Rows, f.K)
	gram := gcg.TMul(other, other)
	for i := range d.Rows {
		for c := range d.K {
			d.Row(i)[c] = mean * gram.Row(c)[c]
		}
	}
	return d
}

func (g *genericModel) curvatures(u, v *gcg.Factor) func(i int) float64 {
	if op, ok := g.p.Operator.(gcg.FusedOperator); ok {
		return observedCurvatures(op, u, v, gcg.CurvatureAt(g.p.Loss.(gcg.CurvedLoss), g.here.s.Z))
	}
	return func(int) float64 { return math.Inf(1) }
}

func (g *genericModel) sharpen() { g.sharp = true }

func (g *genericModel) writeTo(s *gcg.State) {
	if s.Intercept != nil && g.here.grad == nil { // steps are content with less
		g.here.s.Recentre(g.p)
	}
	copy(s.Z, g.here.s.Z)
	copy(s.R, g.here.s.R)
	copy(s.Intercept, g.here.s.Intercept)
	s.Loss, s.Polar, s.Exact = g.here.s.Loss, nil, true
	g.repay()
}

// repay ends the use of the model.
func (g *genericModel) repay() {
	points := []*gcg.State{g.here.s}
	if g.home != nil && g.home != g.here {
		points = append(points, g.home.s)
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
