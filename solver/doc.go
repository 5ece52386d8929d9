// Package solver minimises a gcg.Problem. Run owns the only outer loop; a Method is a state and a step.
//
// # Which method
//
// GCG is for every gauge: with the improver Local for the trace norm, with Corrective for the weights of atoms otherwise (ℓ1, groups,
// factor gauges), with Proximal where atoms span all of W or are positive semidefinite (ℓp, Schatten, psd-trace, spectrahedron), and
// with Tighten for those of W that are too large to be kept as a matrix. AtomDescent, and Continuation around it, are coordinate descent
// on the weights of atoms. Convex makes a problem of its own: a convex f of bounded domain that is given by a subgradient of its
// conjugate. Path solves a problem for falling λ, each from the last solution, and drops blocks that are proven to be 0.
//
// # Where to read
//
// Files that belong together begin with the same word, and the one named by that word alone is the first to read.
//
//	for.go          which method and improver suit a problem
//	run.go          the loop: certificate, stop or step, improve. How it begins, stops and ends, and what it wants of the polar
//	                and takes from it, have files of their own
//	gcg.go          a step of [Yu17]: the atoms of a step are a gcg_direction, searched in the gcg_plane of W's weight and theirs
//	atomdescent.go  a step of [Dudik12]; continuation.go its falling λ
//	corrective.go   the weights of atoms or, in blocks.go, the entries of the blocks that atoms have touched: Newton steps on a
//	                support, whose quadratic blocks_model is minimised by coordinate descent, by Newton steps, or by products alone
//	proximal.go     W as a matrix; proximal_operator.go what it is shrunk by
//	local.go        matrices of a rank: sweep.go far from the solution, then newton.go; shrink.go where W is small and dense
//	sweep.go        ridge regressions in one factor at a time, extrapolated, with the core between them settled by itself
//	newton.go       a newton_step in one of three coordinates, newton_quadratic, newton_bilinear and newton_core, by conjugate
//	                gradients to the accuracy that newton_forecast asks for, with a preconditioner: Jacobi's with a tail, or
//	                Kronecker's
//	local_model.go  what these know of the loss: by passes over sampled entries, or for any operator by way of predictions
//	schedule.go     one λ after another; path.go falling λ, screen.go what is proven to be 0
//	convex.go       Convex, and in convex_problem.go the four nouns for it
//
// Several of these use curvature.go, second derivatives of the loss at a state; penalty.go, what is asked of h; bracket.go and
// multiplier.go, the root of a function and of μ = h'(κ); run_point.go, a place to go back to; and factor_copy.go and its like.
//
// # Words
//
//	G        -∇ℓ(W) = A*(R), the gradient as a linear map; atoms are worth their price where they attain more than λ = h'(ρ)
//	P, S, Q  the singular vectors and values of W; C = PᵀGQ is the part of G within the spaces of W, D the part outside both
//	a pass   over all observations; a product is one with the data, or with the Hessian, which takes one or two passes
//	promise  what a model says that F falls by, as opposed to what it does
//	grain    the magnitude that F is rounded in parts of, see gcg.State.Grain
//	a part   a fraction, or a diagonal block of second derivatives, see parts
package solver
