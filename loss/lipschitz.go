package loss

import (
	"github.com/seed-b18ef778/gcg"
)

// A Lipschitz loss is a sum Σ ℓ_g(z_g) over groups of Stride predictions. Each is ℓ(z) = sup over u of ⟨u, z⟩ - ℓ*(u) with a
// bounded domain of ℓ*. Smoothed makes a smooth loss of it. Everything is asked of it on blocks of whole groups; the calls may be
// concurrent.
//
// Where only the proximity operator of ℓ is known, u = (z - prox_μℓ(z))/μ, which loses the digits that cancel.
type Lipschitz interface {
	Len() int
	Stride() int
	// SmoothTo writes for each group value = max over u of ⟨u, z⟩ - ℓ*(u) - μ/2‖u‖², and the u that attains it. For μ = 0
	// that is ℓ(z) and one of its subgradients. len(value) is len(z)/Stride; u may be z.
	SmoothTo(value, u []float64, lo int, z []float64, mu float64)
	// SlopeTo writes dst = (∂u/∂z) e for the u of SmoothTo, where it is differentiable, or a generalised derivative. dst may
	// be e.
	SlopeTo(dst []float64, lo int, z, e []float64, mu float64)
	// ConjugateTo writes ℓ*(u) of each group, +Inf for u outside its domain by more than a few roundings, which are moved back.
	ConjugateTo(value []float64, lo int, u []float64)
	// Radius is the largest ‖u‖₂ in the domain of ℓ* of any group: the Lipschitz constant of ℓ.
	Radius() float64
}

// MoreauEnvelope is the envelope of width β of a Lipschitz penalty g [Argyriou14 eq 4.2],
//
//	g_β(z) = min over x of g(x) + ‖z-x‖²/(2β) = max over u of ⟨u, z⟩ - g*(u) - β/2‖u‖²
//
// with the gradient u = (z - prox_βg(z))/β ∈ dom g*. In a Stack with a loss L it makes L(A W) + g(B W) + h(κ(W)) a problem of one
// smooth loss. The certificate is that of g itself: the objective has g(BW), and the bound g*(u), not their envelopes. g_β is
// below g by at most β/2 times the square of g's Lipschitz constant.
//
// SetWidth changes the width between the steps of a method; the residual of a state is then computed anew. It takes no intercept.
type MoreauEnvelope struct {
	Penalty Lipschitz // such as L1Norm, GroupNorm, MaxNorm, TotalVariation
	Beta    float64   // width > 0
}

func (e *MoreauEnvelope) smoothed() *Smoothed { return &Smoothed{Loss: e.Penalty, Mu: e.Beta} }

func (e *MoreauEnvelope) Len() int           { return e.Penalty.Len() }
func (e *MoreauEnvelope) Stride() int        { return e.Penalty.Stride() }
func (e *MoreauEnvelope) Separable() bool    { return e.Penalty.Stride() == 1 }
func (e *MoreauEnvelope) Curvature() float64 { return 1 / e.Beta }

// Segments says that no observation takes an intercept.
func (e *MoreauEnvelope) Segments() []gcg.Segment {
	return []gcg.Segment{{Hi: e.Len(), Stride: e.Stride(), Fixed: true}}
}

// Width is β, and SetWidth changes it.
func (e *MoreauEnvelope) Width() float64        { return e.Beta }
func (e *MoreauEnvelope) SetWidth(beta float64) { e.Beta = beta }

// Original is g, with g*.
func (e *MoreauEnvelope) Original() gcg.Loss { return e.smoothed().Unsmoothed() }

// Check is that of the penalty; then it refuses a width that is not positive and finite.
func (e *MoreauEnvelope) Check() error { return e.smoothed().Check() }

func (e *MoreauEnvelope) Eval(lo int, z, r []float64) float64 { return e.smoothed().Eval(lo, z, r) }

// HessTo multiplies by a generalised second derivative.
func (e *MoreauEnvelope) HessTo(dst []float64, lo int, z, d []float64) {
	e.smoothed().HessTo(dst, lo, z, d)
}

// Conjugate is g*(u) + β/2‖u‖² at u = -s r.
func (e *MoreauEnvelope) Conjugate(lo int, r []float64, s float64) float64 {
	return e.smoothed().Conjugate(lo, r, s)
}
