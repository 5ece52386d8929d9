// Package allcells is the loss of implicit feedback [Hu08]: clicks are observed, and every other cell of the matrix is weak
// evidence that there is no interest.
//
//	L(X) = ½ Σ_ij c_ij (p_ij - x_ij)²,   p_ij = 1 and c_ij = w₀ + a_ij on the clicks Ω,   p_ij = 0 and c_ij = w₀ elsewhere
//
// over all m·n cells, of which none but the clicks is ever visited. With X = U Vᵀ, and S on the clicks alone,
//
//	L     = ½ Σ_Ω (c - x(c + s)) + ½ w₀ ⟨UᵀU, VᵀV⟩
//	-∇L   = S - w₀ U Vᵀ,   s_ij = c - a x
//
// so that a product with the gradient costs 2|Ω| + 2(m+n)k flops. Second derivatives are w₀ times the identity and a on Ω.
//
// L is w₀-strongly convex in X. Where h is convex and F(X) - F* ≤ ε, no score is further than √(2ε/w₀) from that of the optimum.
//
// [Hu08] Hu, Koren, Volinsky: Collaborative Filtering for Implicit Feedback Datasets, ICDM 2008.
package allcells
