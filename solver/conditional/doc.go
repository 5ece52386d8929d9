// Package conditional is the step of generalized conditional gradient [Yu17 Algorithms 1-3; Zhang12 Algorithm 1]:
//
//	W ← c W + θ a,   ρ ← c ρ + θ,   a an atom with ⟨a, G⟩ = κ°(G),   G = -∇ℓ(W).
//
// The line search finds (c, θ) as
//
//	argmin over c, θ ≥ 0 of   L(c A(W) + θ A(a)) + h(c ρ + θ)        [Yu17 eq 40], with c free above 1 as in [Zhang12];
//
// the other rules take c = 1-η and θ from the quadratic upper bound of L [Yu17 eq 21].
//
// # Where to read
//
//	step.go        Algorithms 1 to 3, with the options, and what a step wants of the polar
//	direction.go   one direction of several atoms, weighed by second derivatives
//	linesearch.go  Newton steps on the plane of c and θ
//	bound.go       the rules that go by the quadratic upper bound
package conditional
