// Package view compiles a problem: Of asks the four nouns once for every capability that is optional, and states which of them
// go together. Methods read the fields; where one that they need is nil they refuse, naming both sides. No other package of
// solver/ asserts a capability.
//
//	problem.go    the compiled problem and its joint capabilities; With… derive others
//	operator.go, loss.go, gauge.go   what each noun may offer; hessian.go second derivatives, exact or by differences
//	penalty.go    λ = h'(ρ) or the multiplier of a ball, h″, c·h
//	blocks.go     the blocks of a gauge by entry
//	snapshot.go   a place to go back to; data.go tells whether what was kept is of the same data
package view
