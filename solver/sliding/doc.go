// Package sliding is conditional gradient with gradient sliding [Cheung15; Lan and Zhou 2016]: an accelerated proximal gradient
// method whose proximity operator is computed by conditional gradient steps. So a gradient serves several polars.
//
//	z  ← (1-γ)y + γx                 γ = 2/(k+2)
//	g  ← ∇ℓ(z)                       the only gradient of the step
//	x⁺ ← conditional gradient on     ⟨g, v⟩ + β/2 ‖v - x‖² + h(κ(v)),   β = 2L/(k+1)
//	y  ← (1-γ)y + γx⁺
//
// The inner problem is a problem of the library: the identity, squares of v - (x - g/β), and the same gauge. Where the constraint
// κ ≤ ζ takes the place of a penalty, this is conditional gradient sliding.
//
// method.go is the outer loop, proximity.go the inner problem with its loops and the search of both weights, improve.go what
// is done to an iterate between steps.
package sliding
