// Package rpca is robust principal component analysis: a matrix D of which all or some entries are known, as one of low rank and
// one of few entries,
//
//	½‖D - L - S‖² + λ‖L‖_* + λ₁‖S‖₁      or     ‖L‖_* + (λ₁/λ)‖S‖₁ with L + S = D
//
// over the known entries [Candès, Li, Ma, Wright 2011]. The minimum over S has a closed form: of ½(d-l-s)² + λ₁|s| it is λ₁ times
// the Huber loss of width λ₁ at l-d, attained at s = soft(d-l, λ₁), and with the equality it is λ₁|d-l|. So it is a problem of
// the trace norm with a loss of single entries.
//
//	rpca.go     Task, its data and what it is fitted by
//	problem.go  the problem, and both parts of D
//	noise.go    λ and λ₁ by the noise
package rpca
