package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
	"github.com/seed-b18ef778/gcg/solver/internal/hessian"
)

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
	e := make([]float64, len(at.s.Z))
	left, right := narrowest(gcg.Beside(du, u), gcg.Beside(v, dv))
	g.p.Apply(e, &gcg.Iterate{M: u.Rows, N: v.Rows, U: left, V: right})
	g.curved().HessTo(e, at.s.Z, at.s.R, e)
	if free := at.absorber(g.curved()); free != nil {
		free.Reduce(e)
	}
	eu, ev := gcg.Both(g.p.Operator.Adjoint(e), u, v)
	copy(gu.Data, eu.Data)
	copy(gv.Data, ev.Data)
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
	if u.K <= u.Rows {
		return u, v
	}
	return gcg.Identity(u.Rows), gcg.Mul(v, factor.Transposed(u, u.Rows))
}

// withApproximation adds what the operator knows of the second derivatives; where that is nothing, the curvature along W itself,
// spread evenly.
func withApproximation[T gcg.Real](g *genericModel, c Curvature[T]) Curvature[T] {
	switch p := g.p; {
	case p.Fused != nil:
		c.Diagonals = observedDiagonals(p.Fused, gcg.CurvatureAt(p.Curved, g.here.s.Z))
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
	d := gcg.NewFactor(f.Rows, f.K)
	gram := gcg.TMul(other, other)
	for i := range d.Rows {
		for c := range d.K {
			d.Row(i)[c] = mean * gram.Row(c)[c]
		}
	}
	return d
}
