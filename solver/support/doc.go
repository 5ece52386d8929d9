// Package support re-optimises W on the atoms or blocks that it has, its support, and leaves the polar to say what is missing.
//
//	Corrective    min over σ ≥ 0 of L(Σ σᵢ A(aᵢ)) + h(Σ σᵢ)               the totally corrective step [Yu17 eq 42]
//	              min over x of L(z₀ + Σ xₛ A(eₛ)) + h(Σ κ_b(x_b))        the same for gauges of blocks, in their entries
//	AtomDescent   coordinate descent on the weights of all atoms [Dudik12 Algorithm 3]
//
// Both problems are solved by proximal Newton steps. Each minimises one model, with H the second derivatives of L on the support,
//
//	q(x) + h(Σ κ_b(x_b)),   q(x) = ⟨∇L, x - x₀⟩ + ½ (x - x₀)ᵀ H (x - x₀).
//
// # Where to read
//
//	corrective.go    the improver, and the model of weights, interior.go its barrier
//	support.go       the blocks, and their columns A(eₛ)
//	step.go          a proximal Newton step: model, minimiser, way there, also where second derivatives say nothing
//	model.go         the model and the multiplier μ = h'(κ), for which q + μκ is minimised
//	descent.go       by coordinate descent over the blocks, which anderson.go extrapolates
//	newton.go        by Newton steps on the entries of the blocks that are not 0
//	face.go          by steps on the faces of ℓ∞ norms, in proximal points
//	products.go      by products with H alone, where H is not worth forming
//	atomdescent.go   [Dudik12]: a step, along one atom and over all weights
//	terms.go         W as atoms of gauge 1, and the sparse atoms of a block as one
package support
