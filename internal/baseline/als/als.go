// Package als is alternating least squares at a fixed rank, the usual way to fit implicit feedback [Hu08], with a few conjugate
// gradient steps for each regression in place of its solution [Takacs11]. It minimises
//
//	½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²)
//
// over U and V of Rank columns, one factor at a time. At balanced factors that is F under λ times the trace norm: with as many
// columns as the optimum has and enough iterations it comes to the same objective.
//
// Its regressions are those of gcg.Squares, the same fast ones that the local improver takes: what is compared is the algorithm.
//
// [Hu08] Hu, Koren, Volinsky: Collaborative Filtering for Implicit Feedback Datasets, ICDM 2008.
// [Takacs11] Takács, Pilászy, Tikk: Applications of the Conjugate Gradient Method for Implicit Feedback Collaborative Filtering,
// RecSys 2011.
package als

import (
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is alternating least squares as a method of solver.Run: a step is an iteration over both factors. It asks for no polars;
// the run certifies it as any other, without charging it for that.
type Method struct {
	Rank  int
	Steps int    // conjugate gradient steps on a row; 0 means 3, as the programs in use take
	Seed  uint64 // of the first factors

	data   gcg.Squares
	lambda float64
	u, v   *gcg.Factor32
}

// usualSteps and spread are those of the programs in use: steps on a row, and the standard deviation of the first entries.
const (
	usualSteps = 3
	spread     = 0.01
)

// Name is what results call it.
func (m *Method) Name() string { return "als" }

// WithoutPolars reports that no step needs a polar.
func (m *Method) WithoutPolars() bool { return true }

// WithoutPredictions reports that the regressions need no predictions.
func (m *Method) WithoutPredictions() bool { return true }

// Init begins at random factors. It refuses a problem that is not of squares under λ times the trace norm, and a rank below 1.
func (m *Method) Init(p *gcg.Problem, s *gcg.State) error {
	c := view.Of(p)
	switch {
	case m.Rank < 1:
		return fmt.Errorf("als: a rank is at least 1, not %d", m.Rank)
	case c.Squares == nil:
		return fmt.Errorf("als: regressions need an operator that is a gcg.Squares; %T is none", p.Operator)
	case !c.Spectral || !view.IsLinear(p.Penalty):
		return fmt.Errorf("als: ridge regressions stand for λ times the trace norm, not for %T of gauge %s", p.Penalty,
			p.Gauge.Name())
	}
	m.data, m.lambda = c.Squares, p.Penalty.Deriv(0)
	rng := rand.New(rand.NewPCG(m.Seed, 0xa15))
	m.u, m.v = drawn(rng, s.W.M, m.Rank), drawn(rng, s.W.N, m.Rank)
	return nil
}

// drawn is a factor of normal entries.
func drawn(rng *rand.Rand, rows, k int) *gcg.Factor32 {
	f := gcg.NewFactorOf[float32](rows, k)
	for i := range rows {
		row := f.Row(i)[:k]
		for c := range row {
			row[c] = float32(spread * rng.NormFloat64())
		}
	}
	return f
}

// Ask wants one atom, for the certificate.
func (m *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Step is an iteration: the regressions of V, then those of U. Rho is ½(‖U‖² + ‖V‖²) ≥ κ(W).
func (m *Method) Step(_ context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	steps := m.Steps
	if steps == 0 {
		steps = usualSteps
	}
	m.data.RidgeColumns(m.v, m.u, m.lambda, steps)
	m.data.RidgeRows(m.u, m.v, m.lambda, steps)
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N, U: gcg.FactorIn[float64](m.u), V: gcg.FactorIn[float64](m.v)}
	s.Rho = (s.W.U.Dot(s.W.U) + s.W.V.Dot(s.W.V)) / 2
	s.Refresh(p)
	return gcg.Moved{}, nil
}
