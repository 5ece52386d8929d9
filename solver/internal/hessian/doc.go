// Package hessian forms second derivatives of the loss on given columns of predictions. For columns A_S = (A(e₁) … A(e_t)) and
// D = ∇²L(z),
//
//	H = A_Sᵀ D A_S,
//
// and, with an unpenalised intercept whose constants E maps to observations, that of min over b of L(z + Eb),
//
//	H = A_Sᵀ (D - D E (EᵀDE)⁺ EᵀD) A_S.
//
// # Where to read
//
//	parts.go      H as diagonal blocks, where columns share no observations; joined.go finds them, groups.go keeps them
//	assembly.go   the cheapest way to form H; rows.go, classes.go, features.go and columns.go are the ways
//	absorber.go   what the intercept absorbs; centred.go takes it out of predictions
//	secant.go     secants in place of second derivatives that vanish
//	observed.go, solve.go   the diagonal of a Hessian in factors; conjugate gradients for a system
package hessian
