// Package cur solves the selection of rows and columns,
//
//	minimise over W   c/2 ‖Y - L W R‖² + λ (Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞)
//
// on the few rows of W that matter: row i of W is 0 where ‖G_i:‖₁ ≤ λ, G = -∇ℓ(W), since it puts nothing on the columns then. On
// a set of rows over-relaxed ADMM splits W = Z₁ = Z₂ into clips of rows and of columns. Its quadratic step is exact, with the
// eigendecompositions of L Lᵀ, over the rows of the set, and of R Rᵀ: a step works on matrices of the size of L Lᵀ and R Rᵀ.
package cur
