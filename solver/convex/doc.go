// Package convex solves
//
//	minimise over x   ℓ(x) + f(x)
//
// for a smooth ℓ and a convex f of bounded domain that is no gauge [Yu17 Algorithm 1]: f is known by the points y that minimise
// ⟨y, g⟩ + f(y). convex.go is the method, convex_problem.go the four nouns that stand for such a problem: W is the column
// (x - x₀, f(x) - f(x₀)), within the gauge of the graph of f.
package convex
