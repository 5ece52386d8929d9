// Package views is the task of learning what several views of the same samples share. The views' features are the rows of a
// matrix, and the samples its columns:
//
//	minimise  Σ over views of  w Σ ℓ(W_ij, x_ij)  +  λκ(W)     over the entries x_ij that are not missing
//
// With W = [A; B] H the columns of A and B are the dictionaries of two views, and those of H the latent codes of the samples. κ
// is the least Σ‖Hᵢ‖ with ‖Aᵢ‖ ≤ β and ‖Bᵢ‖ ≤ γ, which is convex in W: what is found is the global optimum [Yu17 §4.4], [Zhang12
// §4]. Labels are a third view of entries ±1.
//
//	task.go      the data and its settings; load.go reads them into one matrix
//	source.go    the problem on all entries, or on those that are not held out
//	fit.go       the fitted model, and what it is worth
//	encode.go    new samples to codes, codes to views and labels
package views
