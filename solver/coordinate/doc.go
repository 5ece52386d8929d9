// Package coordinate minimises L(A W) + λΣκ_b(W_b) over the blocks of a separable gauge, such as ℓ1 and groups, by coordinate
// descent on a working set: the blocks of W that are not 0, and those whose polar is largest. The polar that certifies an iterate
// also names the blocks that join the set, so that the data are read whole once for each step and its certificate.
//
// A step minimises quadratic models of the loss on the working set, with D = ∇²L(z) and Δ = x - x₀,
//
//	q(x) + λΣκ_b(x_b),   q(x) = -⟨g₀, Δ⟩ + ½ Δᵀ X̃ᵀX̃ Δ,   X̃ = √D (X - 1x̄ᵀ),   g₀ = Xᵀr.
//
// The means x̄, weighed by D, are those of an unpenalised intercept, which is fitted at every point; without one they are 0. Of
// several outputs each has a constant of its own. A squared loss has one model. A loss that couples the outputs of a row, as
// classes are coupled by their probabilities, has ∇²L = diag(d) - v vᵀ there in place of D, and constants that are coupled as
// well. Sources: Friedman, Hastie and Tibshirani 2010 for the sweeps; Massias, Gramfort and Salmon 2018 for the working set;
// Bertrand and Massias 2021 for the extrapolation of sweeps.
//
// # Where to read
//
//	method.go   the method: what it asks of the polar, and a step
//	set.go      the blocks that were ever in the working set, with their columns
//	fit.go      models in turn, and the way to the minimiser of each
//	model.go    a model; sweep.go descends on it, newton.go ends where columns are alike
//	direct.go   slopes from X̃ and the predictions X̃Δ; gram.go from X̃ᵀX̃, where the set is small beside the observations
//	packed.go   sweeps over sparse columns side by side
//	coupled.go  slopes where a loss couples the outputs of a row
//	column.go   columns, and what D and the means make of them
package coordinate
