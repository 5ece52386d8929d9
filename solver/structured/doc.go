// Package structured solves problems with a second penalty on a vector x, beside the ℓ1 norm [Argyriou14 §5.3],
//
//	minimise over x ∈ Rᵖ   L(A x) + g(B x) + h(‖x‖₁),     h = λ‖x‖₁ or the ball ‖x‖₁ ≤ τ
//
// for groups, g = Σ w_g‖x_g‖₂, and for differences of neighbours, g = w‖Dᵏx‖₁: the fused lasso for k = 1, trend filtering beyond.
// Nothing is smoothed: the certificate is of g itself, at a u of the domain of g*, for which the bound is best or nearly so.
//
//	problem.go      the four nouns of L + g, whose second loss is the linear minorant of g at u
//	groups.go differences.go   the penalties and their B
//	method.go       the method; gradient.go accelerated proximal steps, and primal-dual ones where g + h has no proximity operator
//	workingset.go   proximal steps in the few unknowns that matter; cells.go the fused lasso of an x that is constant in pieces
//	overlap.go      the same for groups that overlap, by primal-dual steps
package structured
