// Package recovery minimises
//
//	F(X) = Σ ℓ_ij(x_ij) + h(‖X‖_*)
//
// over matrices X, symmetric ones or positive semidefinite ones, where the ℓ_ij are convex functions of single entries with a
// proximity operator: ½w(x-y)² + λ₁|x| for a matrix that is sparse and of low rank, a Huber or an absolute loss for one of low
// rank beside sparse errors. h is λx or a bound.
//
//	layout.go     the blocks that the entries fall into: no entry joins a row of one with a column of another
//	shrink.go     singular values of a block, and what h makes of them
//	splitting.go  Splitting, over-relaxed alternating directions, for any of these problems; its weight ρ
//	auto.go       Auto, which chooses
//	dual.go       Dual, accelerated projected gradients on the dual, where X has no entries but observed ones
//	bound.go      the dual point as a state, and the proof of its spectral norm
//
// Dual points B are -∇ of the first sum. Every B with ‖B‖₂ ≤ λ has F* ≥ -Σ ℓ_ij*(-B_ij), so that the certificate is that of
// gcg.Problem.Bound with R = B and a proven bound of ‖B‖₂, or of λ₁ where the cone asks for no more.
package recovery
