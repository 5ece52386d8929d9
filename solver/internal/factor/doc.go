// Package factor holds the algebra of tall factors U (m×k) and V (n×k) of W = UVᵀ that only solvers need: copies and memory that
// is used again (copy.go), products and transposes (algebra.go), and rough norms (norm.go).
package factor
