package model

import (
	"github.com/seed-b18ef778/gcg"
)

// A Curvature is the second derivatives of the loss as a model knows them.
type Curvature[T gcg.Real] struct {
	// To writes gu = E V - R dV and gv = Eᵀ U - Rᵀ dU, E = A*(∇²L A(dU Vᵀ + U dVᵀ)).
	To func(gu, gv, u, v, du, dv *gcg.FactorOf[T])
	// Separable approximates X ↦ A*(∇²L A(X)) by L X R, where the operator is about such a product; else it is nil.
	Separable func(b *Basis) (left, right Spectrum[float64])
	// Diagonals are those of the second derivatives of the loss for A (m×k) and for B (n×k), at W = P S Qᵀ. Where entries are
	// Sampled they are exact, and serve at the next points too.
	Diagonals func(p, q *gcg.Factor) (da, db *gcg.Factor)
	Sampled   bool
	// Normal writes gx = A*(∇²L A(X Vᵀ)) V, where there is a pass for it; else it is nil.
	Normal func(gx, x, v *gcg.FactorOf[T])
	// Weights are Σⱼ ∇²L_ij for each row (m×1) and Σᵢ ∇²L_ij for each column (n×1). They come with Normal.
	Weights func() (rows, columns *gcg.Factor)
}
