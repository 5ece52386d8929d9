package view

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// PenaltyCurvature is h″, which is constant for the penalties that have one; 0 where h′ is not finite. It is measured at x =
// ρ, or 1.
func PenaltyCurvature(h gcg.Penalty, rho float64) float64 {
	x := rho
	if !(x > 0) {
		x = 1
	}
	d := h.Deriv(2*x) - h.Deriv(x)
	if math.IsInf(d, 0) || math.IsNaN(d) {
		return 0
	}
	return math.Max(0, d/x)
}

// Lambda is the λ of the optimality conditions at the state: what an atom must attain, ⟨a, G⟩ > λ with G = -∇ℓ(W), to lower
// F. It is h'(ρ); on the boundary of a ball κ ≤ ζ the multiplier ⟨W, G⟩/ρ, at least 0, and inside the ball 0; for κ = ζ the
// multiplier, of either sign. It costs a pass over the predictions where a multiplier is needed.
func Lambda(p *gcg.Problem, s *gcg.State) float64 {
	if zeta := p.Penalty.Max(); !math.IsInf(zeta, 1) {
		if HoldsGauge(p.Penalty) {
			return p.InnerProduct(s) / zeta
		}
		if s.Rho < OnBoundary*zeta {
			return 0
		}
		return math.Max(0, p.InnerProduct(s)/s.Rho)
	}
	return p.Penalty.Deriv(s.Rho)
}

// OnBoundary is the part of the radius of a ball from which on κ(W) counts as on its boundary, where a multiplier is at work: ρ
// comes to ζ only in the end.
const OnBoundary = 0.999

// HoldsGauge says that h holds κ at a constant ζ: 0 is outside its domain then.
func HoldsGauge(h gcg.Penalty) bool { return math.IsInf(h.Value(0), 1) }

// IsLinear says that h is λx + c for some λ: a convex h whose slope is the same at 0 and at infinity.
func IsLinear(h gcg.Penalty) bool {
	return h.Deriv(0) == h.Deriv(math.Inf(1)) && math.IsInf(h.Max(), 1)
}

// ScalePenalty is the penalty c·h, whose conjugate is y ↦ c·h*(y/c).
func ScalePenalty(h gcg.Penalty, c float64) gcg.Penalty { return scaled{h, c} }

type scaled struct {
	h gcg.Penalty
	c float64
}

// CheckPenalty refuses an h that falls somewhere, as with a negative λ, and one that is finite nowhere or nowhere beyond 0.
func CheckPenalty(h gcg.Penalty) error {
	if h == nil {
		return nil // NewState says so
	}
	at := h.Max()
	if !(at >= 0) {
		return fmt.Errorf("solver: the penalty %T bounds κ(W) by %v; it takes a number that is not negative", h, at)
	}
	if math.IsInf(at, 1) {
		at = 1
	}
	if math.IsInf(h.Max(), 1) && math.IsInf(h.Deriv(at), 1) {
		return fmt.Errorf("solver: the penalty %T has an infinite slope; λ is a number", h)
	}
	if slope := h.Deriv(at); !(slope >= 0) {
		return fmt.Errorf("solver: the penalty %T falls with a slope of %v; λ is not negative", h, slope)
	}
	return nil
}

func (h scaled) Value(rho float64) float64 { return h.c * h.h.Value(rho) }

func (h scaled) Deriv(rho float64) float64 { return h.c * h.h.Deriv(rho) }

func (h scaled) Max() float64 { return h.h.Max() }

func (h scaled) Conj(polar, rhoMax float64) (value, at float64) {
	value, at = h.h.Conj(polar/h.c, rhoMax)
	return h.c * value, at
}
