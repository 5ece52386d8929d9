// Package newton takes Newton steps on F(W) = L(A W) + h(‖W‖_*) over the matrices W = P S Qᵀ of rank k.
//
// With G = -∇ℓ(W), C = PᵀGQ and D = (I-PPᵀ) G (I-QQᵀ), the gradient of F along dW = P M Qᵀ + A Qᵀ + P Bᵀ is
//
//	λI - C in M,   -(I-PPᵀ) G Q in A,   -(I-QQᵀ) Gᵀ P in B,
//
// and h(κ) has the second derivative λ (Σ over i<j of (M_ij - M_ji)²/(sᵢ+sⱼ) + ‖A S^-½‖² + ‖B S^-½‖²) + h″(ρ) (tr M)². D is
// orthogonal to every dW: it says which directions are still to come in, and whether a certificate will close (forecast.go).
//
// A step has coordinates, which are a quadratic model and a curve along which it holds: M, A and B at once (quadratic.go),
// the factors (bilinear.go) or M alone (core.go). Conjugate gradients in a trust region minimise it (conjugategradient.go)
// with one of the preconditioners: a diagonal (jacobi.go), corrected along singular pairs of D
// (lowRankCorrection), or a Kronecker product (kronecker.go). Where they would
// cost more than to form it, the Hessian is formed (compressed.go) and steps are damped (damped.go). The first of ever
// shorter steps that lowers F is taken (step.go).
//
// Read iteration.go and step.go first.
package newton
