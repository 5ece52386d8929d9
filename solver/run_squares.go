package solver

import (
	"fmt"

	"github.com/seed-b18ef778/gcg"
)

// Data that keeps its observations to itself (gcg.Squares) has no predictions to look at: the methods that work on it ask for
// passes. They are GCG with its line search, and Local.

// moments is a Method or an Improver that may say that it works on such data. One that embeds a GCG or a Local says it with it.
type moments interface{ WithoutPredictions() bool }

// WithoutPredictions says that the line search has a closed form for gcg.Squares.
func (g *GCG) WithoutPredictions() bool { return g.Rule == LineSearch }

// WithoutPredictions says that Newton steps and sweeps work on gcg.Squares.
func (l *Local) WithoutPredictions() bool { return true }

// checkSquares refuses methods that need predictions.
func checkSquares(p *gcg.Problem, method Method, im Improver) error {
	if _, ok := p.Operator.(gcg.Squares); !ok {
		return nil
	}
	if m, ok := method.(moments); !ok || !m.WithoutPredictions() {
		return fmt.Errorf("solver: %s works on predictions, which %T does not keep; it has GCG with line search", method.Name(), p.Operator)
	}
	if im != nil {
		if m, ok := im.(moments); !ok || !m.WithoutPredictions() {
			return fmt.Errorf("solver: the %s improver works on predictions, which %T does not keep; it has local", im.Name(), p.Operator)
		}
	}
	return nil
}

// squaresPlane is the quadratic of plane, with y = z + r.
func squaresPlane(s *gcg.State, d *stepDirection, q gcg.Squares) *quadraticPlane {
	u, v := d.factors(s.W)
	var m quadraticPlane
	if s.W.Rank() == 0 {
		_, _, m.aa = q.Cross(u, v, u, v)
	} else {
		m.zz, m.za, m.aa = q.Cross(s.W.U, s.W.V, u, v)
	}
	rr, ry := q.Sums()
	zr := ry - rr
	m.zy = m.zz + zr
	m.ay = m.za + d.gain
	m.yy = m.zz + 2*zr + rr
	return &m
}

// squaresModel is a factorModel on the passes of gcg.Squares.
type squaresModel struct {
	q       gcg.Squares
	loss    float64
	weights weights
}

func (m *squaresModel) value(u, v *gcg.Factor) float64 {
	m.loss = m.q.Move(u, v)
	return m.loss
}

func (m *squaresModel) began() (loss float64, ok bool) { return m.loss, true }

func (m *squaresModel) gradient() gcg.Map { return m.q.Adjoint(nil) }

func (m *squaresModel) formed(*newton, bool) *wholeHessian { return nil }

func (m *squaresModel) curvature() curvature[float64] {
	return observedCurvature(m.q, 1, &m.weights, m.q.AlongTo, m.q.NormalTo)
}

func (m *squaresModel) curvature32() (curvature[float32], bool) {
	return observedCurvature(m.q, 1, &m.weights, m.q.Along32To, m.q.Normal32To), true
}

func (m *squaresModel) curvatures(u, v *gcg.Factor) func(i int) float64 {
	return observedCurvatures(m.q, u, v, 1)
}

func (m *squaresModel) sharpen() {}

func (m *squaresModel) writeTo(s *gcg.State) { s.Loss, s.Polar, s.Exact = m.loss, nil, true }
