// Package gcg holds the mathematics of generalized conditional gradient methods as types. The problem is
//
//	minimise over W   F(W) = L(A W) + h(κ(W))
//
// with four nouns that know nothing of each other:
//
//	Operator A   W (m×n) to predictions z = A(W) of N observations      package operator
//	Loss     L   convex and smooth, a sum over observations             package loss
//	Gauge    κ   inf{Σσᵢ : W = Σσᵢaᵢ, σᵢ ≥ 0, aᵢ atoms}                 package gauge
//	Penalty  h   λx, λx²/2, or a bound κ ≤ ζ                            package gauge
//
// and one loop, solver.Run, around a method. A step needs only the polar of the gauge,
//
//	κ°(G) = max over atoms of ⟨a, G⟩,   G = -Aᵀ∇L(z)
//
// and the atom that attains it. For the trace norm this is one singular pair.
//
// # A run
//
// A problem is a value of four fields, a run is one call:
//
//	p := &gcg.Problem{
//		Operator: op, // of operator.NewSampling, NewDesign, NewTasks, NewIdentity
//		Loss:     &loss.Squared{Y: y},
//		Gauge:    gauge.Trace{},
//		Penalty:  gauge.Linear{Lambda: 2},
//	}
//	method, improver, _ := solver.For(p)
//	r, err := solver.Run(ctx, p, method, solver.Options{Tol: 1e-4, Improver: improver})
//
// solver.For gives the method and the improver that suit the problem, and says why. r.State.W is the answer, an [Iterate] of
// factors or of sparse entries, which is never formed as a matrix. r.State.Cert is its [Certificate]. r.Status says why the run
// ended; not to converge is no error.
//
// # What the answer is worth
//
// Whatever the method, optimum ∈ [Cert.LowerBound, Cert.Objective]. The lower bound is weak duality at the current iterate, see
// [Problem.Bound]. It rests on the upper bound of the polar, not on the value that an atom attained. The [Kind] of the polar says
// whether the bound is proven, holds but for a stated probability, or rests on an approximation ratio. A method that is wrong or
// slow leaves a wide gap, not a wrong one.
//
// # How solvers see a problem
//
// They work in prediction space: z = A(W), r = -∇L(z), ρ ≥ κ(W) and opaque atoms, all in a [State]. So sparse vectors, low-rank
// matrices and dictionaries are the same code. Operators and losses are called on blocks of observations, concurrently. Sums are
// added in the order of the blocks, see [Problem.Sum]: a run is the same on 1 and on 64 processors of one type. A step may ask
// for polars of other maps and solve problems of its own. The [Oracle] of its state counts them.
//
// What goes beyond the four interfaces is optional: [CurvedLoss] for Newton steps, [ConjugateLoss] for closer bounds,
// [Compressor] for κ(W) itself, [BlockGauge] for coordinate steps. Package solver/view declares the others, such as a proximity
// operator or single passes over the data. view.Of asks a problem for all of them once, and methods read what it found. A method
// without what it needs refuses, and names what lacks what.
//
// # Several losses, two penalties, inner problems
//
// L(A W) + g(B W) is one loss of one operator: operator.Stack(A, B) and loss.Stack(L, g_β), with the envelope g_β of g of width
// β. Views with losses of their own are a stack too. [Problem.Objective] and [Problem.Bound] are of the problem that was asked,
// with g itself, see [Original]. Gradients and iterates are added and scaled as a [Map], see [Sum]. The proximity
// operator of a gauge at such a map is a problem too, see operator.Proximal.
//
// # Where to read
//
// The nouns are problem.go, operator.go, loss.go, gauge.go and polar.go. W is made of atom.go and iterate.go. state.go says where
// a solver is, certificate.go how far from the optimum. Then comes solver/run.go, the loop, and solver/conditional/step.go, the
// algorithm of Yu, Zhang and Schuurmans (JMLR 2017).
//
//	operator, loss, gauge    the nouns; gauge/spectral bounds singular values
//	solver                   the loop, the choice of a method, paths of λ
//	  view                   what a problem can do, found out once
//	  gcg, convex            conditional gradient steps
//	  support                weights of atoms, entries of blocks
//	  fixedrank              W = U Vᵀ of a fixed rank, by Newton steps and by sweeps
//	  dense                  W as a matrix, by proximal steps
//	  sparsepca              sparse principal components
//	  structured             groups, total variation and trends beside the ℓ1 norm of a vector
//	selection                which λ: paths, folds, rules
//	task                     data to models: completion, classes, tasks, numbers
//	dataset, model           files to flat slices; models saved, loaded, predictions and recommendations
//	metric, report           scores; pictures of runs
//	conform                  the checks that every implementation of an interface passes
//	cmd/gcg                  the command line
package gcg
