// Package loss holds the convex losses L(z), each with its value, derivative, curvature and conjugate.
//
// Conventions shared by all of them: r = -∂L/∂z; Omega holds weights ≥ 0, nil for ones; a mean divides by the number of
// observations (by the number of rows for Softmax), whatever the weights; Group says how many consecutive observations
// are one row of several outputs, so that blocks begin at rows. With c = 1 or 1/N, the conjugate of c Σ ωᵢℓᵢ is
// c Σ ωᵢ ℓᵢ*(pᵢ/(cωᵢ)), where an observation of weight 0 asks for pᵢ = 0. Check says what is wrong with the data, in one
// line, with observations counted from 1; the other methods trust what Check accepts.
package loss
