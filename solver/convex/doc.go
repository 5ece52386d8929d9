// Package convex solves
//
//	minimise over x   ℓ(x) + f(x)
//
// for a smooth ℓ and a convex f of bounded domain that is no gauge [Yu17 Algorithm 1]: f is known by the points y that minimise
// ⟨y, g⟩ + f(y). convex.go has the data of such a problem and its method, convex_step.go the step, convex_problem.go the four
// nouns that stand for it: W is the column (x - x₀, f(x) - f(x₀)), within the gauge of the graph of f.
package convex
