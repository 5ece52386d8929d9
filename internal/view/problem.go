package view

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// A Problem is a gcg.Problem and what can be done with it. It holds for the nouns of that problem as they were: replace the loss
// by WithLoss.
type Problem struct {
	*gcg.Problem
	OperatorCapabilities
	LossCapabilities
	GaugeCapabilities

	// Plain says that the loss is c·½‖y - z‖² of predictions z = A(W): no weights, and no intercept.
	Plain bool
	// FusedSquares are the single passes of the operator over a Plain loss, or nil.
	FusedSquares FusedOperator
	// Ridge lowers a Plain loss over one factor at a time, or is nil.
	Ridge RidgeOperator
}

// Of compiles a problem, which stays the caller's.
func Of(p *gcg.Problem) *Problem {
	v := &Problem{
		Problem:              p,
		OperatorCapabilities: OfOperator(p.Operator),
		LossCapabilities:     OfLoss(p.Loss),
		GaugeCapabilities:    OfGauge(p.Gauge),
	}
	v.join()
	return v
}

// WithLoss is the problem with another loss of the same observations.
func (p *Problem) WithLoss(l gcg.Loss) *Problem {
	of, q := *p.Problem, *p
	of.Loss = l
	q.Problem, q.LossCapabilities = &of, OfLoss(l)
	q.join()
	return &q
}

// join finds what operator and loss can do together.
func (p *Problem) join() {
	q := p.LeastSquares
	p.Plain = q != nil && q.Weights() == nil && !p.Intercept
	if p.Hessian != nil && p.Loss != nil {
		if _, n, _ := p.Operator.Dims(); p.Loss.Stride() > n { // they pass over some rows at a time, each on its own
			p.Hessian, p.Whole = nil, nil
		}
	}
	p.FusedSquares, p.Ridge = nil, nil
	if p.Plain && p.Fused != nil {
		p.FusedSquares = p.Fused
		p.Ridge, _ = p.Fused.(RidgeOperator)
	}
}

// EntryBlocks says that the blocks of the gauge are the entries of W, one by one.
func (p *Problem) EntryBlocks() bool {
	m, n, _ := p.Operator.Dims()
	return p.BlockGauge != nil && p.BlockGauge.Blocks(m, n) == m*n
}

// HasBound says that a lower bound of F can be computed at all: the loss has a conjugate or an infimum, or the penalty bounds κ.
func (p *Problem) HasBound() bool {
	return p.LeastSquares != nil || p.Conjugate != nil || p.Bounded != nil || !math.IsInf(p.Penalty.Max(), 1)
}
