// Package hybrid minimises
//
//	F(W) = L(A W) + g(B W) + h(κ(W))
//
// for a Lipschitz g that enters by its Moreau envelope, whose width falls from step to step [Argyriou14]. The problem is a stack,
// see operator.Stack, loss.Stack and loss.MoreauEnvelope; its certificate is that of g itself. method.go has the steps, the
// schedule of widths, and the constant that the paper's bound is best at.
package hybrid
