package view

import "github.com/seed-b18ef778/gcg"

// Unridged is L(A W) + h(κ(W)) of a problem L(A W) + μ/2 ‖W‖² + h(κ(W)), whose second part observes W, see loss.Ridge. Of any
// other problem it is the problem itself, with μ = 0. Its observations are the first ones of p; those of W follow, row by row.
func Unridged(p *gcg.Problem) (base *gcg.Problem, mu float64) {
	l, ok := p.Loss.(interface{ Parts() []gcg.Loss })
	if !ok || len(l.Parts()) != 2 {
		return p, 0
	}
	ridge, ok := l.Parts()[1].(interface{ Ridge() float64 })
	op, stacked := p.Operator.(interface{ Parts() []gcg.Operator })
	if !ok || !stacked || len(op.Parts()) != 2 || !OfOperator(op.Parts()[1]).Identity {
		return p, 0
	}
	own := *p
	own.Operator, own.Loss = op.Parts()[0], l.Parts()[0]
	return &own, ridge.Ridge()
}
