// Package als is alternating least squares at a fixed rank, the usual way to fit implicit feedback [Hu08], with a few conjugate
// gradient steps for each regression in place of its solution [Takacs11]. It minimises
//
//	½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²)
//
// over U and V of Rank columns, one factor at a time. At balanced factors that is F under λ times the trace norm: with as many
// columns as the optimum has and enough iterations it comes to the same objective.
//
// Its regressions are the same fast ones that the local improver takes: what is compared is the algorithm.
//
// [Hu08] Hu, Koren, Volinsky: Collaborative Filtering for Implicit Feedback Datasets, ICDM 2008.
// [Takacs11] Takács, Pilászy, Tikk: Applications of the Conjugate Gradient Method for Implicit Feedback Collaborative Filtering,
// RecSys 2011.
package als

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/baseline/rival"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Method is alternating least squares as a method of solver.Run: a step is an iteration over both factors. It asks for no polars;
// the run certifies it as any other, without charging it for that.
type Method struct {
	Rank  int    // 0 means rival.Columns
	Steps int    // conjugate gradient steps on a row; 0 means 3, as the programs in use take
	Seed  uint64 // of the first factors

	turn func(steps int) // the regressions of V, then those of U
	u, v *gcg.Factor32
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

// Fits says that p is of squares under λ times the trace norm.
func Fits(p *gcg.Problem) bool {
	c := view.Of(p)
	return (c.Squares != nil || c.Ridge != nil) && c.Spectral && view.IsLinear(p.Penalty) && !c.Intercept
}

// Init begins at random factors. It refuses a problem that is not of squares under λ times the trace norm, and a negative rank.
func (m *Method) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) error {
	switch {
	case m.Rank < 0:
		return fmt.Errorf("als: a rank is positive, or 0 for the usual one, not %d", m.Rank)
	case !Fits(p):
		return fmt.Errorf("als: ridge regressions are of observed entries with plain squares and λ times the trace norm; not of %T, "+
			"%T and %T of gauge %s", p.Operator, p.Loss, p.Penalty, p.Gauge.Name())
	}
	rng := rand.New(rand.NewPCG(m.Seed, 0xa15))
	k := cmp.Or(m.Rank, rival.Columns(s.W))
	m.u, m.v = drawn(rng, s.W.M, k), drawn(rng, s.W.N, k)
	m.turn = m.regressions(view.Of(p))
	return nil
}

// regressions are those of an operator that has its loss, or of one beside a plain squared loss, over whose scale λ is.
func (m *Method) regressions(p *view.Problem) func(steps int) {
	lambda := p.Penalty.Deriv(0)
	if q := p.Squares; q != nil {
		return func(steps int) {
			q.RidgeColumns(m.v, m.u, lambda, steps)
			q.RidgeRows(m.u, m.v, lambda, steps)
		}
	}
	y := make([]float32, len(p.LeastSquares.Target()))
	kernel.Convert(y, p.LeastSquares.Target())
	columns, yColumns := view.Transposed(p.Ridge, y)
	ridge := lambda / p.LeastSquares.Scale()
	return func(steps int) {
		columns.RidgeRows(m.v, m.u, yColumns, ridge, steps)
		p.Ridge.RidgeRows(m.u, m.v, y, ridge, steps)
	}
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
	m.turn(steps)
	s.W = &gcg.Iterate{M: s.W.M, N: s.W.N, U: gcg.FactorIn[float64](m.u), V: gcg.FactorIn[float64](m.v)}
	s.Rho = (s.W.U.Dot(s.W.U) + s.W.V.Dot(s.W.V)) / 2
	s.Refresh(p)
	return gcg.Moved{}, nil
}
