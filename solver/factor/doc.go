// Package factor has what solvers do with tall factors U (m×k) and V (n×k) of W = UVᵀ beyond the root package: copies and
// memory that is used again (copy.go, memory.go), products and transposes (algebra.go), and rough norms (norm.go).
package factor
