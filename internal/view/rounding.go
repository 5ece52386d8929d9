package view

import "github.com/seed-b18ef778/gcg/internal/rounding"

// What rounding in float64 is taken to be. A smaller number lets runs go on where nothing is gained any more, a larger one ends
// them before their gap is closed.
const (
	// Rounding is the part of F, or of its RoundingScale, below which two sums over observations are taken to be the same.
	Rounding = rounding.Sum
	// DomainRounding is the part of a bound of κ, or of a weight at 0, by which a point may be outside and count as within.
	DomainRounding = rounding.Null
)
