// Package recovery recovers a matrix that is sparse and of low rank from some of its entries [Argyriou14 §6.1]:
//
//	minimise over X   mean over observed entries of ℓ(x_ij, y_ij) + λ₁‖X‖₁ + λ‖X‖_*     or with ‖X‖_* ≤ ζ in place of λ
//
//	recovery.go    Task, its data and what it is fitted by
//	entries.go     entries by the numbers of a shape, or by ids
//	problem.go     the problem, without the rows and columns that a solution does not need
//	reduce.go      which these are
//	links.go       missing links of a graph, ranked
package recovery
