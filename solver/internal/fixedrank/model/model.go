package model

import (
	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A Model is the loss as a function of the factors, L(A(U Vᵀ)), with what Newton steps need of it. It is at the factors of the
// last call of Value, and keeps R = -∇L there.
type Model interface {
	// Value moves the model to the factors U (m×k) and V (n×k), whose memory it takes, and returns the loss there.
	Value(u, v *gcg.Factor) float64
	// Began is the loss at the W of the state that the model began with, if it needs no value there.
	Began() (loss float64, ok bool)
	// Gradient is G = A*(R), valid until Value is called.
	Gradient() gcg.Map
	// Curvature and Curvature32 are the second derivatives in float64 and, if they are known, in float32.
	Curvature() Curvature[float64]
	Curvature32() (c Curvature[float32], ok bool)
	// Formed is the Hessian of the loss on all entries of W where W is small and f says so, or where it is to be formed now, or nil.
	Formed(f *FormPolicy, at Effort) *Matrix
	// UseFloat64 makes the second derivatives as accurate as they can be: conjugate gradients did not converge with float32.
	UseFloat64()
	// WriteTo writes the model's predictions, residual and loss into the state. The model ends with it.
	WriteTo(s *gcg.State)
}

// New chooses the model for a problem, at the state: by the passes of gcg.Squares, by the single passes that a
// fused operator has for the plain squared loss, or by way of predictions.
func New(p *view.Problem, s *gcg.State) Model {
	if p.Squares != nil {
		return &squaresModel{q: p.Squares, loss: s.Loss}
	}
	if q := p.LeastSquares; p.FusedSquares != nil {
		f := &fusedModel{op: p.FusedSquares, framed: p.Framed, within: p.Within,
			y: q.Target(), scale: q.Scale(), r: s.R, loss: s.Loss, exact: s.Exact}
		if f.scale != 1 {
			kernel.Scale(1/f.scale, f.r)
		}
		return f
	}
	start := &gcg.State{Intercept: s.Intercept, Loss: s.Loss}
	start.Z, start.R = memory.Zeros[float64](len(s.Z)), memory.Zeros[float64](len(s.R))
	if s.Intercept != nil {
		copy(start.Z, s.Z) // whose level is a start
	}
	return &genericModel{p: p, here: &modelPoint{s: start}}
}

// A Curvature is the second derivatives of the loss as a model knows them.
type Curvature[T gcg.Real] struct {
	// To writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, E = A*(∇²L A(dU Vᵀ + U dVᵀ)). u and v are as Observed has them.
	To func(gu, gv, u, v, du, dv *gcg.FactorOf[T])
	// Separable approximates X ↦ A*(∇²L A(X)) by L X R, where the operator is about such a product; else it is nil.
	Separable func(b *Basis) (left, right Spectrum[float64])
	// Diagonals are those of the second derivatives of the loss for A (m×k) and for B (n×k), at W = P S Qᵀ. Where entries are
	// Sampled they are exact, and serve at the next points too.
	Diagonals func(p, q *gcg.Factor) (da, db *gcg.Factor)
	Sampled   bool
	// Normal writes gx = A*(∇²L A(X Vᵀ)) V, for x and v as Observed has them, where there is a pass for it; else it is nil.
	Normal func(gx, x, v *gcg.FactorOf[T])
	// Weights come with Normal.
	Weights func() Weights
	// Grams are about LᵀDL and RᵀER where an operator observes L W Rᵀ, for the Weights D and E of what Observed has; else it is
	// nil.
	Grams func(b *Basis) (left, right *Gram)
	// Times is L U and R V of an operator that observes L W Rᵀ, in new factors, and BackTo writes gu = Lᵀ X and gv = Rᵀ Y; they
	// are nil where it observes W.
	Times  func(u, v *gcg.FactorOf[T]) (left, right *gcg.FactorOf[T])
	BackTo func(gu, gv, x, y *gcg.FactorOf[T])
}

// Weights are Σⱼ ∇²L_ij for each row (m×1) and Σᵢ ∇²L_ij for each column (n×1): of what Observed has, and of W, where that is
// another, by the squares of L and R.
type Weights struct{ ObservedRows, ObservedColumns, Rows, Columns *gcg.Factor }

// Observed is U and V as the observations see them, which are entries of U Vᵀ: L U and R V in new factors where the operator
// observes L W Rᵀ, which it reports, and else U and V themselves.
func (c *Curvature[T]) Observed(u, v *gcg.FactorOf[T]) (left, right *gcg.FactorOf[T], fresh bool) {
	if c.Times == nil {
		return u, v, false
	}
	left, right = c.Times(u, v)
	return left, right, true
}
