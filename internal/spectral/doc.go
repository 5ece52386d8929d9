// Package spectral bounds the largest singular value of a map, or the largest eigenvalue of a symmetric one, and finds the
// vectors that attain it. The polars of the trace norm and of its variants stand on it.
//
// A small matrix is decomposed whole, see [DenseSVD]. A large G is cut by the spaces P, Q of the iterate, see [NewStructure].
// Three blocks are computed exactly. Only the norm of the complement D = (I-PPᵀ) G (I-QQᵀ) is estimated, and bounded, by block
// Lanczos steps from a random start.
//
//	structure.go, complement.go     the blocks of G, products with D
//	krylov.go, ritz.go              the Krylov space of DᵀD, its Ritz pairs
//	missed.go                       which eigenvalues the Krylov space can have missed
//	search.go, schedule.go          steps until the bound of ‖G‖₂ is good enough
//	deflation.go, coupling.go       leading pairs of D taken out, where the bound is better so
//	symmetric.go, tridiagonal.go    the same for eigenvalues, with single vectors
//	rescaled.go                     gradients whose squares underflow
package spectral
