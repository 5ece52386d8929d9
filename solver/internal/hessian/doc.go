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
//	parts.go      H as diagonal blocks, where columns share no observations
//	assembly.go   the cheapest way to form H; rows.go, classes.go and features.go are the ways
//	absorber.go   what the intercept absorbs, which is taken out of predictions too
//	secant.go     secants in place of second derivatives that vanish
package hessian
