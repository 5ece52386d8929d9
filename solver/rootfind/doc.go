// Package rootfind finds roots of functions of one variable: bracket.go by secants within a bracket, multiplier.go the multiplier
// μ = h'(κ) for which a minimiser of q + μκ also minimises q + h(κ).
package rootfind
