package structured

import (
	"errors"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// A shrinkage is h(‖x‖₁): λ‖x‖₁, or the ball ‖x‖₁ ≤ τ.
type shrinkage struct {
	lambda, radius float64
	ball           bool
	theta          float64 // the last multiplier of the ball, where the next search begins
}

// shrinkageOf is that of a penalty; an error is for others.
func shrinkageOf(h gcg.Penalty) (*shrinkage, error) {
	switch {
	case view.IsLinear(h):
		return &shrinkage{lambda: h.Deriv(1)}, nil
	case !math.IsInf(h.Max(), 1) && h.Value(0) == 0 && h.Value(h.Max()) == 0:
		return &shrinkage{radius: h.Max(), ball: true}, nil
	}
	return nil, errors.New("structured: needs a penalty λ‖x‖₁ or a bound ‖x‖₁ ≤ τ")
}

// shrinkTo writes the proximity operator of t·h at v.
func (h *shrinkage) shrinkTo(dst, v []float64, t float64) {
	theta := t * h.lambda
	if h.ball {
		theta = linalg.BallThreshold(v, h.radius)
	}
	for i, x := range v {
		dst[i] = linalg.Soft(x, theta)
	}
}

// excess is h(‖x‖₁) and h* at -θ: τθ, or ‖x‖₁ times the larger of λ and θ.
func (h *shrinkage) excess(theta, size float64) float64 {
	return h.reach(size) * math.Max(theta, h.lambda)
}

// reach is τ, or ‖x‖₁: what θ is multiplied by in the gap.
func (h *shrinkage) reach(size float64) float64 {
	if h.ball {
		return h.radius
	}
	return size
}
