package solver

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// sweepAbove is the relative gap above which alternating ridge sweeps precede the Newton steps: far from the solution a
// sweep, which is exact in each factor, gains more than a Newton step, whose model holds only nearby.
const sweepAbove = 0.005

// A sweeper lowers ½‖y - A(U Vᵀ)‖² + λ/2 (‖U‖² + ‖V‖²), the local objective of [Yu17 Algorithm 3], by ridge regressions in
// one factor at a time. At balanced factors it equals F.
type sweeper struct {
	p        *gcg.Problem
	rows     gcg.RidgeOperator
	columns  gcg.RidgeOperator // the transpose
	y, yCols []float64
	scale    float64
}

// newSweeper is nil where the problem has no ridge form: another loss than the plain squared one, or another h than λx.
func newSweeper(p *gcg.Problem) *sweeper {
	op, ok := p.Operator.(gcg.RidgeOperator)
	q, quadratic := p.Loss.(gcg.Quadratic)
	linear := p.Penalty.Deriv(1) == p.Penalty.Deriv(2) && math.IsInf(p.Penalty.Max(), 1)
	if !ok || !quadratic || !linear || q.Weights() != nil || p.Intercept {
		return nil
	}
	t, order := op.Transposed()
	w := &sweeper{p: p, rows: op, columns: t, y: q.Target(), yCols: make([]float64, len(order)), scale: q.Scale()}
	for e, from := range order {
		w.yCols[e] = w.y[from]
	}
	return w
}

// sweepLimit bounds the sweeps of one call, ridgeSteps the conjugate gradient steps on a row; sweepGain is the part of all that was
// gained that one more sweep must gain: measured from 0.005 to 0.02, where less sends more work to the Newton steps.
const (
	sweepGain  = 0.05
	sweepLimit = 20
	ridgeSteps = 3
)

// sweep alternates until a sweep gains little beside the first, and leaves the factors balanced in s. It reports
// whether the problem allows sweeps.
func (l *Local) sweep(p *gcg.Problem, s *gcg.State) bool {
	if q, ok := p.Operator.(gcg.Squares); ok {
		return sweepSquares(p, s, q)
	}
	if l.sweeps == nil || l.sweeps.p != p {
		l.sweeps = newSweeper(p)
		if l.sweeps == nil {
			l.sweeps = &sweeper{p: p}
		}
	}
	w := l.sweeps
	if w.rows == nil {
		return false
	}
	ridge := p.Penalty.Deriv(0) / w.scale
	u, v := s.W.U, s.W.V
	alternate(p, s, func() float64 {
		w.columns.RidgeRows(v, u, w.yCols, ridge, ridgeSteps)
		w.rows.RidgeRows(u, v, w.y, ridge, ridgeSteps)
		return w.scale * (w.rows.ResidualTo(s.R, w.y, u, v) + ridge*(u.Dot(u)+v.Dot(v))) / 2
	})
	return true
}

// alternate repeats a sweep over both factors, which returns F, while it gains a good part of all that was gained, and makes
// the state true to W again.
func alternate(p *gcg.Problem, s *gcg.State, sweep func() float64) {
	f := s.Objective(p)
	start := f
	for range sweepLimit {
		next := sweep()
		gain := f - next
		f = next
		if gain < sweepGain*(start-f) {
			break
		}
	}
	s.Rho = p.GaugeOf(s.W)
	s.Refresh(p)
}
