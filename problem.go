package gcg

// A Penalty is h, convex on [0, Max].
type Penalty interface {
	Value(rho float64) float64 // +Inf outside the domain
	Deriv(rho float64) float64
	Max() float64 // sup dom h
	// Conj is sup over 0 ≤ x ≤ min(rhoMax, Max) of x·polar - h(x), and the x that attains it; +Inf if there is none.
	Conj(polar, rhoMax float64) (value, at float64)
}

// A Problem is the sum of the four nouns.
type Problem struct {
	Operator Operator
	Loss     Loss
	Gauge    Gauge
	Penalty  Penalty
	// Intercept adds unpenalised constants to the predictions: see Places.
	Intercept bool
}
