// Package dense keeps W as an m×n matrix: accelerated proximal steps
//
//	Y ← W + G/η,   W ← argmin over X of ½‖X - Y‖² + h(κ(X))/η,   G = -∇ℓ(W),
//
// for gauges with a proximity operator whose atoms span all of W, such as ℓp and Schatten norms; and κ(W) for ρ where W is too
// large for that. proximal.go is the improver, tighten.go the evaluation of κ.
package dense
