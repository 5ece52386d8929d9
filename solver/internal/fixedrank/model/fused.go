package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A fusedModel is L = c·½‖y - A(U Vᵀ)‖² by the operator's single passes.
type fusedModel struct {
	op     view.FusedOperator
	framed view.FramedOperator // op where it observes L W Rᵀ, by the passes of within; else both are nil
	within view.FusedOperator
	y, r   []float64 // r = y - z, without the scale; it is the state's own vector until WriteTo
	narrow []float32 // r
	scale  float64
	loss   float64
	exact  bool // r is computed from the factors

	weights       weights
	rows, columns *gcg.Factor // the weights of W where it is framed
}

// Value takes one pass, which computes r.
func (f *fusedModel) Value(u, v *gcg.Factor) float64 {
	f.loss, f.exact = f.scale*f.op.ResidualTo(f.r, f.y, u, v)/2, true
	gcg.Repay(u, v)
	return f.loss
}

// Began is the state's loss.
func (f *fusedModel) Began() (loss float64, ok bool) { return f.loss, true }

// Gradient is c·A*(r).
func (f *fusedModel) Gradient() gcg.Map {
	return gcg.Scaled(f.op.Adjoint(f.r), f.scale)
}

// Formed is nil: products are cheap.
func (f *fusedModel) Formed(*FormPolicy, Effort) *Matrix { return nil }

// Curvature is a pass in float64.
func (f *fusedModel) Curvature() Curvature[float64] {
	if f.framed != nil {
		c := fusedCurvature(f, f.within, f.r, f.within.CurvatureTo, f.within.NormalTo)
		return framedCurvature(f, c, f.framed.Times, f.framed.BackTo)
	}
	return fusedCurvature(f, f.op, f.r, f.op.CurvatureTo, f.op.NormalTo)
}

// Curvature32 is a pass in float32.
func (f *fusedModel) Curvature32() (Curvature[float32], bool) {
	if f.narrow == nil {
		f.narrow = memory.Make[float32](len(f.r))
	}
	par.Pieces(len(f.r), func(lo, hi int) {
		kernel.Convert(f.narrow[lo:hi], f.r[lo:hi])
	})
	if f.framed != nil {
		c := fusedCurvature(f, f.within, f.narrow, f.within.Curvature32To, f.within.Normal32To)
		return framedCurvature(f, c, f.framed.Times32, f.framed.Back32To), true
	}
	return fusedCurvature(f, f.op, f.narrow, f.op.Curvature32To, f.op.Normal32To), true
}

// fusedCurvature is the curvature of a fusedModel in T, by two passes of an operator.
func fusedCurvature[T gcg.Real](f *fusedModel, op view.FusedOperator, r []T,
	to func(gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]), normal func(gx, x, v *gcg.FactorOf[T])) Curvature[T] {
	return observedCurvature(op, f.scale, &f.weights,
		func(gu, gv, u, v, du, dv *gcg.FactorOf[T]) {
			to(gu, gv, r, u, v, du, dv)
			if f.scale != 1 {
				gu.Scale(T(f.scale))
				gv.Scale(T(f.scale))
			}
		},
		func(gx, x, v *gcg.FactorOf[T]) {
			normal(gx, x, v)
			if f.scale != 1 {
				gx.Scale(T(f.scale))
			}
		})
}

// framedCurvature is the curvature of L(A(W)) of that of X = L W Rᵀ, by products with L and R and their transposes.
func framedCurvature[T gcg.Real](f *fusedModel, ofX Curvature[T],
	times func(u, v *gcg.FactorOf[T]) (left, right *gcg.FactorOf[T]), back func(gu, gv, x, y *gcg.FactorOf[T])) Curvature[T] {
	c := ofX
	c.Times, c.BackTo = times, back
	c.To = func(gu, gv, u, v, du, dv *gcg.FactorOf[T]) {
		du, dv = times(du, dv)
		x, y := gcg.Room[T](u.Rows, u.K), gcg.Room[T](v.Rows, v.K)
		ofX.To(x, y, u, v, du, dv)
		back(gu, gv, x, y)
		gcg.Repay(du, dv, x, y)
	}
	c.Diagonals = func(p, q *gcg.Factor) (da, db *gcg.Factor) {
		left, right := f.framed.Times(p, q)
		x, y := ofX.Diagonals(left, right)
		da, db = factor.Blank(p), factor.Blank(q)
		f.framed.SquaredBackTo(da, db, x, y)
		gcg.Repay(left, right, x, y)
		return da, db
	}
	c.Weights = func() Weights {
		w := ofX.Weights()
		if f.rows == nil {
			m, n, _ := f.op.Dims()
			f.rows, f.columns = gcg.NewFactor(m, 1), gcg.NewFactor(n, 1)
			f.framed.SquaredBackTo(f.rows, f.columns, w.ObservedRows, w.ObservedColumns)
		}
		w.Rows, w.Columns = f.rows, f.columns
		return w
	}
	c.Grams = func(b *Basis) (left, right *Gram) { return b.framed(f, c.Weights()) }
	return c
}

// UseFloat64 has nothing to do.
func (f *fusedModel) UseFloat64() {}

// WriteTo writes z = y - r and R = c·r, which is the vector of the state.
func (f *fusedModel) WriteTo(s *gcg.State) {
	par.Pieces(len(f.r), func(lo, hi int) { // f.r is s.R
		z, r := s.Z[lo:hi], s.R[lo:hi]
		copy(z, f.y[lo:hi])
		kernel.Axpy(-1, r, z)
		if f.scale != 1 {
			kernel.Scale(f.scale, r)
		}
	})
	s.Loss, s.Polar, s.Exact = f.loss, nil, f.exact
}
