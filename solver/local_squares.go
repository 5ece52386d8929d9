package solver

import "github.com/seed-b18ef778/gcg"

// A squaresModel is a factorModel by the passes of gcg.Squares.
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

func (m *squaresModel) sharpen() {}

func (m *squaresModel) writeTo(s *gcg.State) { s.Loss, s.Polar, s.Exact = m.loss, nil, true }
