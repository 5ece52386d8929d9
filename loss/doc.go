// Package loss holds the convex losses L(z), each with its value, derivative, curvature and conjugate.
//
//	squared errors     Squared, Quadratic
//	counts and times   Poisson, Gamma, Cox
//	classes            Logistic, Softmax, SquaredHinge, SmoothedHinge
//	Lipschitz losses   Absolute, Quantile, Hinge; Smoothed makes them smooth, Huber is one that is
//	second penalties   MoreauEnvelope of L1Norm, GroupNorm, MaxNorm, TotalVariation
//	several losses     Stack
//	known parts of z   Shifted
//
// Conventions shared by all of them:
//
//	r       -∂L/∂z
//	Omega   weights ≥ 0, nil for ones
//	Mean    divides by the number of observations (of rows for Softmax), whatever the weights
//	Group   how many consecutive observations are one row of several outputs; blocks begin at rows
//
// With c = 1 or 1/N, the conjugate of c Σ ωᵢℓᵢ is c Σ ωᵢ ℓᵢ*(pᵢ/(cωᵢ)), where an observation of weight 0 asks for pᵢ = 0. Check
// says what is wrong with the data, in one line, with observations counted from 1. The other methods trust what Check accepts.
package loss
