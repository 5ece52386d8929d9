package view

import "github.com/seed-b18ef778/gcg"

// A BoundedMap knows the entries of G but for a bound, and computes those that are asked for.
type BoundedMap interface {
	gcg.DenseMap
	// Within is y and d with |G_ij - y_ij| ≤ d_ij, row-major. They are the map's own, and are not to be changed.
	Within() (y, d []float64)
	// Refine computes G_ij for the ascending places i·n + j: y is that afterwards, but for the rounding of a sum, and d is 0.
	Refine(places []int)
}

// BoundedOf asks a map for it.
func BoundedOf(g gcg.Map) (BoundedMap, bool) {
	b, ok := g.(BoundedMap)
	return b, ok
}
