// Package spca solves the convex relaxation of sparse principal components [d'Aspremont et al. 2007; Argyriou14 (5.2)],
//
//	minimise over X ⪰ 0, tr X = 1   λ‖X‖₁ - ⟨C, X⟩
//
// for a symmetric C (n×n); ‖X‖₁ has the diagonal. Any U with |U_ij| ≤ λ gives the bound -λ₁(C - U) of the optimum.
//
// The variables fall into the connected components of |C_ij| > λ, i ≠ j. Outside of them U_ij = C_ij, so that C - U is block
// diagonal, and the optimum is the best of the components. A component is solved by alternating directions.
//
//	problem.go    the four nouns, with the observations of the components of |C_ij| > λ alone
//	triangle.go   a symmetric matrix as panels of its lower triangle
//	leading.go    the leading eigenpairs of a symmetric matrix from a start
//	method.go     the method: alternating directions on a component, and their answers
//	envelope.go   the envelope of λ‖X‖₁, for methods that smooth it
package spca
