// Package rounding is the scale by which rounding in float64 is told from numbers. A smaller number lets work go on where nothing
// is gained any more, a larger one ends it before the last digits are found.
package rounding

const (
	// Number is what a few operations leave of a number: some units in its last place.
	Number = 1e-15
	// Sum is what sums over data leave, such as an objective: two that differ by less are taken to be the same.
	Sum = 1e-14
	// Product is what products of matrices leave, and an objective that is made of them: a fall or a rise by less does not tell a
	// good step from a bad one, and a bracket or a bound is no narrower.
	Product = 1e-13
	// Null is the part of the largest of several sizes, or curvatures, below which one is nothing but rounding. It is also the part
	// of a bound by which a point may be outside and count as within.
	Null = 1e-12
	// Decomposed is what decompositions of products of matrices leave, whose small eigenvalues have lost digits to the large ones.
	Decomposed = 1e-10
)
