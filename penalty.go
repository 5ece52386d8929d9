package gcg

// A Penalty is h, convex and nondecreasing on its domain in [0, Max].
type Penalty interface {
	// Value is h(rho), +Inf outside the domain. A rho that is a few roundings outside counts as the end of the domain.
	Value(rho float64) float64
	// Deriv is h'(rho), or an element of ∂h; outside the domain it is +Inf above and -Inf below. Deriv(+Inf) is the limit.
	Deriv(rho float64) float64
	Max() float64 // sup dom h
	// Conj is the supremum of x·polar - h(x) over 0 ≤ x ≤ min(rhoMax, Max), and the x that attains it, +Inf if none does. polar may
	// be negative.
	Conj(polar, rhoMax float64) (value, at float64)
}
