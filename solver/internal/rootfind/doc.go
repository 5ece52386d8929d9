// Package rootfind finds roots of functions of one variable: in bracket.go by secants within a bracket; in multiplier.go it is
// the multiplier μ = h'(κ) for which a minimiser of q + μκ also minimises q + h(κ).
package rootfind
