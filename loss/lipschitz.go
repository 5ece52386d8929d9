package loss

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
