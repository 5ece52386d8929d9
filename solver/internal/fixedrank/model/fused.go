package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/par"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A fusedModel is L = c·½‖y - A(U Vᵀ)‖² by the operator's single passes.
type fusedModel struct {
	op     view.FusedOperator
	y, r   []float64 // r = y - z, without the scale; it is the state's own vector until WriteTo
	narrow []float32 // r
	scale  float64
	loss   float64
	exact  bool // r is computed from the factors

	weights weights
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
	return fusedCurvature(f, f.r, f.op.CurvatureTo, f.op.NormalTo)
}

// Curvature32 is a pass in float32.
func (f *fusedModel) Curvature32() (Curvature[float32], bool) {
	if f.narrow == nil {
		f.narrow = memory.Make[float32](len(f.r))
	}
	par.Pieces(len(f.r), func(lo, hi int) {
		kernel.Convert(f.narrow[lo:hi], f.r[lo:hi])
	})
	return fusedCurvature(f, f.narrow, f.op.Curvature32To, f.op.Normal32To), true
}

// fusedCurvature is the curvature of a fusedModel in T, by its two passes.
func fusedCurvature[T gcg.Real](f *fusedModel, r []T, to func(gu, gv *gcg.FactorOf[T], r []T, u, v, du, dv *gcg.FactorOf[T]),
	normal func(gx, x, v *gcg.FactorOf[T])) Curvature[T] {
	return observedCurvature(f.op, f.scale, &f.weights,
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
