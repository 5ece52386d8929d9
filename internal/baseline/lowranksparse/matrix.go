// Package lowranksparse is the baselines of sparse and low-rank matrices: generalised forward-backward splitting (gfb.go),
// incremental proximal descent (ipd.go) and the inexact augmented Lagrangian method of robust components (ialm.go). They work on
// a matrix all of whose entries are observations, and need no polars (matrix.go).
package lowranksparse

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/loss"
	"github.com/seed-b18ef778/gcg/solver/recovery"
)

// A matrix is what the methods have in common: an m×n iterate whose singular values each step shrinks.
type matrix struct {
	m, n   int
	shrink *recovery.Shrinker
}

// Descends is false.
func (matrix) Descends() bool { return false }

// WithoutPolars says that no step asks for a polar.
func (matrix) WithoutPolars() bool { return true }

// Ask wants one atom, for the certificate.
func (matrix) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// begin refuses, for a method of this name, a problem that is not of all entries of a matrix under λ‖X‖_*.
func (a *matrix) begin(name string, p *gcg.Problem, s *gcg.State) error {
	m, n, nobs := p.Operator.Dims()
	if nobs != m*n || !gcg.IsTraceNorm(p.Gauge) || !math.IsInf(p.Penalty.Max(), 1) {
		return fmt.Errorf("baseline: %s takes all entries of a matrix, a trace norm and a penalty; not gauge %s and %T", name,
			p.Gauge.Name(), p.Penalty)
	}
	a.m, a.n, a.shrink = m, n, recovery.NewShrinker(m, n, s.Seed)
	return nil
}

// settle makes Loss that of Z, and R, a dual point but for rounding, one.
func settle(p *gcg.Problem, s *gcg.State, dual interface{ ClipTo(r []float64, lo int) }) {
	dual.ClipTo(s.R, 0)
	s.Loss = p.Value(s.Z, nil)
	s.Polar, s.Exact = nil, false
	s.Count.Gradients++
}

// squares are the parts of the loss of a problem that a method of this name takes: a squared loss and an ℓ1 norm.
func squares(name string, p *gcg.Problem) (*loss.WithL1, *loss.Squared, error) {
	if l1, ok := p.Loss.(*loss.WithL1); ok {
		if f, is := l1.Loss.(*loss.Squared); is {
			return l1, f, nil
		}
	}
	return nil, nil, fmt.Errorf("baseline: %s takes the squared loss with an ℓ1 norm, not %T", name, p.Loss)
}
