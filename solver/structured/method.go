package structured

import (
	"context"
	"errors"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Method is the solver of a problem of Problem, whose gauge is the ℓ1 norm: accelerated proximal gradient steps with restarts
// where g and h together have a proximity operator, which are disjoint groups and differences of order 1, and the primal-dual
// steps of Condat (2013) and Vũ (2013) elsewhere; but for differences of higher orders in rounds on the few unknowns that matter.
// Every step ends with a u of the domain of g*, of which Run makes the bound.
type Method struct {
	second  *minorant
	f       *smooth
	h       *shrinkage
	x       []float64
	primal  *workingSet // where there is a proximity operator
	several *overlap    // of groups that overlap
	both    *primalDual // of other penalties
}

// primalDualSteps are the steps between bounds.
const primalDualSteps = 50

// Name is structured.
func (m *Method) Name() string { return "structured" }

// Ask wants the bound alone.
func (m *Method) Ask(*gcg.Problem, *gcg.State) gcg.Ask { return gcg.Ask{Count: 1} }

// Init refuses what is no problem of Problem, gauges other than the ℓ1 norm, and penalties that are neither linear nor a ball.
func (m *Method) Init(p *gcg.Problem, s *gcg.State, _ gcg.Settings) (err error) {
	if m.second = secondOf(p); m.second == nil {
		return errors.New("solver: structured solves the problems that structured.Problem makes")
	}
	if k, ok := p.Gauge.(gauge.L1); !ok || k.Weights != nil {
		return errors.New("solver: structured needs the gauge l1; " + p.Gauge.Name() + " is another")
	}
	if m.h, err = shrinkageOf(p.Penalty); err != nil {
		return err
	}
	if m.f, err = newSmooth(m.second.op, m.second.loss, p, s); err != nil {
		return err
	}
	clear(m.second.u)
	m.x = s.W.Dense()
	m.primal, m.both, m.several = nil, nil, nil
	if e, ok := m.second.g.(divisible); ok && e.ready() {
		m.primal = newWorkingSet(m, e, p, s)
		return nil
	}
	g, groups := m.second.g.(*Groups)
	if op, ok := m.second.op.(mergeable); ok && groups && g.P >= severalFrom {
		m.several = newOverlap(m, g, op, p, s)
		return nil
	}
	m.both = newPrimalDual(m)
	return nil
}

// Step takes some steps, and moves W and u there.
func (m *Method) Step(ctx context.Context, p *gcg.Problem, s *gcg.State) (gcg.Moved, error) {
	var err error
	switch {
	case m.primal != nil:
		err = m.primal.round(ctx)
	case m.several != nil:
		err = m.several.round(ctx)
	default:
		m.both.steps(ctx, primalDualSteps)
	}
	if err != nil {
		return gcg.Moved{}, err
	}
	s.W = terms(m.x)
	s.Rho = linalg.SumAbs(m.x)
	if m.h.ball && s.Rho > m.h.radius { // by rounding
		by := m.h.radius / s.Rho
		kernel.Scale(by, m.x)
		s.W, s.Rho = terms(m.x), m.h.radius
	}
	s.Refresh(p)
	return gcg.Moved{}, nil
}

// terms is x as atoms of the ℓ1 norm.
func terms(x []float64) *gcg.Iterate {
	w := &gcg.Iterate{M: len(x), N: 1}
	count := 0
	for _, v := range x {
		if v != 0 {
			count++
		}
	}
	rows, cols, signs := make([]int32, 0, count), make([]int32, count), make([]float64, 0, count)
	for i, v := range x {
		if v == 0 {
			continue
		}
		at, sign := len(rows), 1.0
		if v < 0 {
			sign = -1
		}
		rows, signs = append(rows, int32(i)), append(signs, sign)
		w.Terms = append(w.Terms, gcg.Term{Atom: gcg.Atom{Rows: rows[at : at+1 : at+1], Cols: cols[at : at+1 : at+1],
			Vals: signs[at : at+1 : at+1], Key: int64(i) + 1}, Weight: sign * v})
	}
	return w
}
