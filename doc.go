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
// and a loop, solver.Run, around a Method. Each step needs only the polar of the gauge,
//
//	κ°(G) = max over atoms of ⟨a, G⟩,   G = -Aᵀ∇L(z)
//
// and the atom that attains it: for the trace norm one singular pair.
//
// # A run
//
// A problem is a value of four fields, a run one call:
//
//	p := &gcg.Problem{
//		Operator: op,                          // of operator.NewSampling, NewDesign, NewTasks, NewIdentity
//		Loss:     &loss.Squared{Y: y},
//		Gauge:    gauge.Trace{},
//		Penalty:  gauge.Linear{Lambda: 8},
//	}
//	r, err := solver.Run(ctx, p, &solver.GCG{OutsideW: true}, solver.Options{Tol: 1e-4, Improver: &solver.Local{}})
//
// r.State.W is the answer, an [Iterate] in factors or sparse entries that is never formed as a matrix; r.State.Cert its
// [Certificate]; r.Status says why the run ended. Not to converge is no error. The examples of package solver are whole
// programs: completion from ratings, the lasso, a path of λ, a loss and a gauge of one's own.
//
// # What the answer is worth
//
// Whatever the method, optimum ∈ [Cert.LowerBound, Cert.Objective]. The lower bound is weak duality at the current
// iterate, see [State.Certify], from the upper bound of the polar and not from the value that an atom attained; its [Kind]
// says whether it is proven, holds but for a stated probability, or rests on an approximation ratio. A method that is wrong or
// slow leaves a wide gap, not a wrong one.
//
// # How solvers see a problem
//
// They work in prediction space: z = A(W), r = -∇L(z), ρ ≥ κ(W) and opaque atoms, in a [State]. So sparse vectors, low-rank
// matrices and dictionaries are the same code. Operators and losses are called on blocks of observations, concurrently, and
// sums are added in the order of the blocks, see [Problem.Sum]: a run is the same on 1 and on 64 processors of one type. What a
// step asks for on its way, polars of other maps and problems of its own, goes through the [Oracle] of its state, which counts
// it.
//
// Everything beyond the four interfaces is optional: [CurvedLoss] for Newton steps, [ConjugateLoss] for sharper certificates,
// [Compressor] for κ(W) itself, [BlockGauge] for coordinate steps. The optional interfaces that only solvers use are those of package
// solver/view, such as a proximity operator or single passes over the data. view.Of asks for all of them once, and methods read
// what it found. A method without what it needs refuses, naming both sides.
//
// # Several losses, two penalties, inner problems
//
// L(A W) + g(B W) is one loss of one operator, operator.Stack(A, B) and loss.Stack(L, g_β), with g's envelope of width β; so are
// views with losses of their own. [Problem.Objective] and [Problem.Bound] are of the problem that was asked, with g itself, see
// [Original]. Gradients and iterates are added, scaled and stacked as a [Map], see [Sum]; the proximity operator of a gauge
// at such a map is a problem too, operator.Proximal.
//
// # Where to read
//
// problem.go, operator.go, loss.go, gauge.go and polar.go (the nouns), atom.go and iterate.go (what W is made of), state.go
// (where a solver is), certificate.go (how far it is), then solver/run.go (the loop) and solver/gcg/step.go (the algorithm of Yu,
// Zhang and Schuurmans, JMLR 2017). Around them: dataset reads files into flat slices, task goes from data to models (completion,
// classes, tasks, numbers), selection chooses λ, model saves, predicts and recommends, metric and report measure and draw,
// conform holds the checks that every implementation passes, and cmd/gcg is the command line.
package gcg
