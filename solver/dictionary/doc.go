// Package dictionary lowers F over both factors of W = U Vᵀ, where the gauge is of atoms u vᵀ whose u keeps to a ball in each of
// several blocks of rows: views of the same samples, and their labels.
package dictionary
