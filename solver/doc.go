// Package solver minimises a gcg.Problem,
//
//	minimise over W   F(W) = L(A W) + h(κ(W)),
//
// to a certified gap. Run owns the only outer loop; a Method is an Init and a Step, an Improver lowers F between steps.
//
// # Which method
//
// For answers for a problem. GCG is for every gauge: with Local for the trace norm, with Corrective for the weights of other
// atoms (ℓ1, groups, factor gauges), with FactorDescent for both factors of any factor gauge, with Proximal where an atom
// spans all of W (ℓp, Schatten), and with Tighten where such a W is too large to be kept as a matrix. AtomDescent, and
// Continuation around it, are coordinate descent on the weights of atoms and need no second derivatives. convex.Method makes a
// problem of a convex f of bounded domain that is given by a subgradient of its conjugate. Path solves a problem for falling
// λ, each from the last solution.
//
// # Where to read
//
//	for.go        which method and improver suit a problem
//	run.go        the loop: certificate, stop or step, improve; how a run begins
//	polar.go      what a polar is asked for, and how the first one is checked
//	certificate.go   when a certificate is due, and how nearly the optimality conditions hold
//	ending.go     when a run stops, and what it returns
//	options.go    limits, events, results; clock.go the time that is charged
//	methods.go    the improvers Corrective and Proximal
//	schedule.go   one λ after another; path.go and continuation.go make schedules
//
// The methods and improvers, each in a folder that does not import the others:
//
//	conditional   GCG, the step of [Yu17] and [Zhang12]: begin with conditional/step.go
//	support       weights of atoms and entries of blocks: Corrective and AtomDescent
//	fixedrank     matrices of fixed rank: Local, and FactorDescent for factor gauges
//	dense         W as a matrix: Proximal and Tighten
//	coordinate    Descent on a working set of blocks
//	sliding       several polars for each gradient [Cheung15 Algorithms 1-4]
//	convex        a convex f of bounded domain that is no gauge
//	hybrid        HCGS, a second penalty by its envelope [Argyriou14 Algorithm 2]
//	structured    a second penalty on a vector
//	views         Splitting and Dictionary, for several views
//	cur           WorkingSet, for selections of rows and columns
//	recovery, spca   splitting for sparse and low-rank matrices, and for sparse components
//
// # Words
//
//	G        -∇ℓ(W) = A*(R), the gradient as a linear map; an atom a is worth its price where ⟨a, G⟩ > λ = h'(ρ)
//	P, S, Q  the singular vectors and values of W, W = P diag(S) Qᵀ; PᵀGQ is G within the spaces of W, (I-PPᵀ)G(I-QQᵀ) outside both
//	a pass   over all observations; a product is one with the data, or with the Hessian, which takes one or two passes
//	promise  what a model says that F falls by, as opposed to what it does
//	a part   a fraction, or a diagonal block of second derivatives, see hessian.Parts
package solver
