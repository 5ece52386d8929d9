package model

import (
	"github.com/seed-b18ef778/gcg"
)

// A squaresModel is a factorModel by the passes of gcg.Squares.
type squaresModel struct {
	q       gcg.Squares
	loss    float64
	weights weights
}

func (m *squaresModel) Value(u, v *gcg.Factor) float64 {
	m.loss = m.q.Move(u, v)
	return m.loss
}

func (m *squaresModel) Began() (loss float64, ok bool) { return m.loss, true }

func (m *squaresModel) Gradient() gcg.Map { return m.q.Adjoint(nil) }

func (m *squaresModel) Formed(*FormPolicy, Effort) *Matrix { return nil }

func (m *squaresModel) Curvature() Curvature[float64] {
	return observedCurvature(m.q, 1, &m.weights, m.q.AlongTo, m.q.NormalTo)
}

func (m *squaresModel) Curvature32() (Curvature[float32], bool) {
	return observedCurvature(m.q, 1, &m.weights, m.q.Along32To, m.q.Normal32To), true
}

func (m *squaresModel) UseFloat64() {}

func (m *squaresModel) WriteTo(s *gcg.State) { s.Loss, s.Polar, s.Exact = m.loss, nil, true }
