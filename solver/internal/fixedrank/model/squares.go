package model

import (
	"github.com/seed-b18ef778/gcg"
)

// A squaresModel is a Model by the passes of gcg.Squares.
type squaresModel struct {
	q       gcg.Squares
	loss    float64
	weights weights
}

// Value moves the data to the factors.
func (m *squaresModel) Value(u, v *gcg.Factor) float64 {
	m.loss = m.q.Move(u, v)
	return m.loss
}

// Began is the state's loss.
func (m *squaresModel) Began() (loss float64, ok bool) { return m.loss, true }

// Gradient is that of the data.
func (m *squaresModel) Gradient() gcg.Map { return m.q.Adjoint(nil) }

// Formed is nil: products are cheap.
func (m *squaresModel) Formed(*FormPolicy, Effort) *Matrix { return nil }

// Curvature is a pass in float64.
func (m *squaresModel) Curvature() Curvature[float64] {
	return observedCurvature(m.q, 1, &m.weights, m.q.AlongTo, m.q.NormalTo)
}

// Curvature32 is a pass in float32.
func (m *squaresModel) Curvature32() (Curvature[float32], bool) {
	return observedCurvature(m.q, 1, &m.weights, m.q.Along32To, m.q.Normal32To), true
}

// UseFloat64 has nothing to do.
func (m *squaresModel) UseFloat64() {}

// WriteTo writes the loss: there are no predictions.
func (m *squaresModel) WriteTo(s *gcg.State) { s.Loss, s.Polar, s.Exact = m.loss, nil, true }
