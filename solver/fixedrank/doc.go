// Package fixedrank lowers F(W) = L(A W) + h(‖W‖_*) over the matrices of W's rank: it is the improver of the trace norm.
//
// Between two steps of conditional gradient, which add directions, Local takes what gains most where W is:
//
//   - sweeps of ridge regressions in U and in V, on ½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²), which is F at balanced factors: for the
//     squared loss far from the solution. They are balanced and extrapolated, and the core T of P T Qᵀ goes to its minimum
//     between them (sweep.go),
//   - proximal gradient steps W ← shrink(W + G/h, λ/h): for other losses and a small W far from the solution (shrink.go),
//   - Newton steps on the manifold of matrices P S Qᵀ of rank k, everywhere else: package newton, on the models of package model.
//
// Which of them, for how long and down to what gap is in local.go. Read it first. FactorDescent, in factors.go, is the
// improver for other norms of the columns of U and V, by proximal gradient steps.
package fixedrank
