package structured

import (
	"errors"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/solver/view"
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
		theta = excess(v, h.radius)
	}
	for i, x := range v {
		dst[i] = soft(x, theta)
	}
}

// soft is sign(x)·max(|x|-θ, 0).
func soft(x, theta float64) float64 {
	switch {
	case x > theta:
		return x - theta
	case x < -theta:
		return x + theta
	}
	return 0
}

// size1 is ‖x‖₁.
func size1(x []float64) (sum float64) {
	for _, v := range x {
		sum += math.Abs(v)
	}
	return sum
}

// largest is ‖x‖_∞.
func largest(x []float64) (top float64) {
	for _, v := range x {
		top = math.Max(top, math.Abs(v))
	}
	return top
}

// excess is the θ ≥ 0 with ‖soft(v, θ)‖₁ = radius, or 0 where ‖v‖₁ is no more. The radius shrinks what is sorted: what is below
// max|v| - radius is 0 in any case.
func excess(v []float64, radius float64) float64 {
	if size1(v) <= radius {
		return 0
	}
	least := largest(v) - radius
	var sizes []float64
	for _, x := range v {
		if x = math.Abs(x); x > least {
			sizes = append(sizes, x)
		}
	}
	slices.Sort(sizes)
	var above, theta float64
	for i := len(sizes) - 1; i >= 0; i-- {
		above += sizes[i]
		next := (above - radius) / float64(len(sizes)-i)
		if sizes[i] <= next {
			break
		}
		theta = next
	}
	return math.Max(theta, 0)
}
