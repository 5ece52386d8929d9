package gcg

// A Penalty is h, convex and nondecreasing on its domain in [0, Max].
type Penalty interface {
	// Value is h(rho), +Inf outside the domain, where a few roundings outside count as its end.
	Value(rho float64) float64
	// Deriv is h'(rho), or an element of ∂h; outside the domain it points back: +Inf beyond it, -Inf below. Deriv(+Inf) is the limit.
	Deriv(rho float64) float64
	Max() float64 // sup dom h
	// Conj is sup over 0 ≤ x ≤ min(rhoMax, Max) of x·polar - h(x), and the x that attains it; +Inf if there is none. polar may be negative.
	Conj(polar, rhoMax float64) (value, at float64)
}
