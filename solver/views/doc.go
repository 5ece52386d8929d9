// Package views minimises L(W) + h(κ(W)) for the gauges of several views of the same samples, and of their labels, in two ways.
//
// Splitting, for a W that is observed entry by entry and λκ(W) with a κ that is the largest trace norm of D_τW: alternating
// directions on W̃ = D_τW, with the shares τ of the views moved along. method.go is the step of a run, iteration.go one round
// with its proximity operator of the trace norm.
//
// The improver Dictionary lowers F over both factors of W = U Vᵀ, where atoms are u vᵀ and u keeps to a ball in each of several
// blocks of rows: dictionary.go.
package views
