// Package solver minimises a gcg.Problem. Run owns the only outer loop; a Method is a state and a step.
//
// # Which method
//
// GCG is for every gauge: with the improver Local for the trace norm, with Corrective for the weights of atoms otherwise
// (ℓ1, groups, factor gauges), with Proximal where atoms span all of W or are positive semidefinite (ℓp, Schatten, psd-trace, spectrahedron),
// and with Tighten for those of W that are too large to be kept as a matrix. AtomDescent, and Continuation around it,
// are coordinate descent on the weights of atoms. Convex stands apart: a convex f of bounded domain that is given by a subgradient of its
// conjugate. Path solves a problem for falling λ, each from the last solution, and drops blocks that are proven to be 0.
//
// # Where to read
//
// Files that belong together begin with the same word.
//
//	run.go           certificate, stop or step, improve; run_begin.go is the state it begins at, run_ask.go is what it wants of the polar, run_polar.go what it takes of it,
//	                 run_end.go how it ends
//	gcg.go           a step of [Yu17]: the atoms of a step are a gcg_direction, searched in the plane of W's weight and theirs
//	atomdescent.go   a step of [Dudik12]; continuation.go its falling λ
//	corrective.go    the weights of atoms, or, as blocks.go, the entries of the blocks that atoms have touched: Newton steps on a
//	                 support whose quadratic model is minimised by coordinate descent, by Newton steps of its own, or by products
//	proximal.go      W as a matrix; proximal_operator.go what it is shrunk by
//	local.go         the matrices of a rank: sweep.go far from the solution, then newton.go; shrink.go where W is small and dense
//	sweep.go         ridge regressions in one factor at a time, extrapolated, with the core between them settled by itself
//	newton.go        a step in one of three coordinates, newton_quadratic, newton_bilinear and newton_core, by conjugate gradients to the
//	                 accuracy that newton_expectation asks for, with a preconditioner: Jacobi's with a tail, or Kronecker's
//	local_model.go   what these know of the loss: passes over sampled entries, or local_generic.go any operator
//	path.go          falling λ; screen.go what is proven to be 0
//	convex.go        Convex
package solver
