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
// and the atom that attains it: for the trace norm one singular pair. Whatever the method, the answer comes with a
// certificate (see Certificate): a proven lower bound of the optimum.
//
// Read in this order: problem.go (the nouns), atom.go and iterate.go (what W is made of), state.go (where a solver
// is), certificate.go (how far it is), then solver/run.go (the loop) and solver/gcg.go (the algorithm of
// Yu, Zhang and Schuurmans, JMLR 2017).
package gcg
