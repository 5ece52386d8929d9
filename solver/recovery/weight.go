package recovery

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
)

// The weight ρ of the augmented Lagrangian: where it starts, how far it goes, and what changes it.
const (
	imbalance   = 3    // of the two residuals from which on ρ changes, by its root
	balanceGap  = 5    // steps between changes of ρ at first; it grows by a quarter of the steps so far, so that ρ settles
	sampledRho  = 0.2  // of the loss's curvature, where not all entries are observed; from 0.1 to 0.3 as many steps
	lowestRho   = 0.03 // and
	highestRho  = 2    // of the loss's curvature; beyond, no reference problem takes fewer steps
	lowerRho    = 0.1  // of the first ρ, where that is small; without, weak penalties take three times the steps
	weakWeight  = 0.05 // of λ mn/Σ|y|; with 0.12 and with 0.4 some weak penalties take three times the steps
	firstWeight = 1.25 // of λ/‖Y‖₂, and
	rise        = 1.5  // of ρ a step, both of the inexact augmented Lagrangian method
)

// firstRho is ρ at the start, and what it is raised to at first. Where the loss has corners it begins at 1.25 λ/‖Y‖₂, at which Z
// is of low rank, as the inexact augmented Lagrangian method does [Lin, Chen, Ma 2010], and is raised to λ mn/(4 Σ|y|) [Candès,
// Li, Ma, Wright 2011].
func (a *Splitting) firstRho() (rho, goal float64) {
	if a.Rho > 0 {
		return a.Rho * a.unit, a.Rho * a.unit
	}
	if c, ok := a.p.Loss.(interface{ Curvature() float64 }); ok && !math.IsInf(c.Curvature(), 1) && c.Curvature() > 0 {
		rho = c.Curvature()
		if a.sampled() {
			rho *= sampledRho
		}
		rho = math.Min(rho, a.weakRho())
		return rho, rho
	}
	y, ok := a.p.Loss.(interface{ Target() []float64 })
	lambda := a.p.Penalty.Deriv(0)
	if !ok || lambda == 0 {
		return 1, 1
	}
	var size float64
	for e, x := range y.Target() {
		a.obs[e] = x / a.unit
		size += math.Abs(a.obs[e])
	}
	if size == 0 {
		return 1, 1
	}
	a.prover.fill(a.obs)
	goal = 4 * lambda * float64(len(a.obs)) / (4 * size)
	return math.Min(goal, firstWeight*lambda/a.prover.estimate(powerRounds)), goal
}

// farFrom1 is the exponent of two from which on the numbers of a matrix are far from 1: sums of their squares may be out of
// range.
const farFrom1 = 300

// unitOf is 1, or a power of two near the largest target of a loss with corners where that is far from 1. Such a loss, and the
// trace norm, are in proportion to the matrix, so that every scale of it is allowed. It is in range, and so is its inverse.
func (a *Splitting) unitOf() float64 {
	y, ok := a.p.Loss.(interface{ Target() []float64 })
	if !ok {
		return 1
	}
	_, exponent := math.Frexp(linalg.MaxAbs(y.Target()))
	if -farFrom1 < exponent && exponent < farFrom1 {
		return 1
	}
	return math.Ldexp(1, max(-1000, min(exponent, 1000)))
}

// weakRho is what suits penalties so weak that the observed entries are nearly met: a part of λ mn/Σ|y|, as for a loss with
// corners; +Inf where the loss is none of squares. With a bound, λ₁ stands for the multiplier, which is not known.
func (a *Splitting) weakRho() float64 {
	if h, ok := a.p.Loss.(*loss.Huber); ok {
		return a.cornerRho(h)
	}
	q, l1 := a.squares()
	if q == nil || !a.sampled() {
		return math.Inf(1)
	}
	var size float64
	for e, y := range q.Y {
		if q.Omega == nil || q.Omega[e] > 0 {
			size += math.Abs(y)
		}
	}
	lambda := a.p.Penalty.Deriv(0)
	if lambda == 0 {
		lambda = l1
	}
	if lambda == 0 || size == 0 {
		return math.Inf(1)
	}
	return weakWeight * lambda * float64(len(a.obs)) / size
}

// cornerRho is what suits a Huber loss so narrow beside its targets that it is nearly the absolute value: λ mn/Σ|y|, which makes
// a step of the dual point as long as it can be where all is far from met. Of the curvature, which is ω/μ however small both are,
// steps would be of the length μ.
func (a *Splitting) cornerRho(h *loss.Huber) float64 {
	var size, slope float64
	for e, y := range h.Y {
		w := 1.0
		if h.Omega != nil {
			w = h.Omega[e]
		}
		if w > 0 {
			size, slope = size+math.Abs(y), math.Max(slope, w)
		}
	}
	if h.Mean {
		slope /= float64(len(h.Y))
	}
	lambda := a.p.Penalty.Deriv(0)
	if lambda == 0 || lambda > slope {
		lambda = slope
	}
	if size == 0 {
		return math.Inf(1)
	}
	return lambda * float64(len(a.obs)) / size
}

// squares are the loss of squares that the loss is made of, and λ₁; nil where it is another.
func (a *Splitting) squares() (q *loss.Squared, l1 float64) {
	if sum, ok := a.p.Loss.(*loss.WithL1); ok {
		q, _ = sum.Loss.(*loss.Squared)
		l1 = sum.Lambda
	}
	return q, l1
}

// sampled says that some entries of the blocks are not observed.
func (a *Splitting) sampled() bool {
	q, _ := a.squares()
	return !a.layout.whole || q != nil && slices.Contains(q.Omega, 0)
}

// rhoRange is what ρ may be balanced to: within some powers of ten of the curvature of the loss, where it has one. The two
// residuals say little where singular values come and go, and lead away from there by several.
func (a *Splitting) rhoRange() (least, most float64) {
	if c, ok := a.p.Loss.(interface{ Curvature() float64 }); ok && !math.IsInf(c.Curvature(), 1) && c.Curvature() > 0 {
		return math.Min(c.Curvature()*lowestRho, a.rho*lowerRho), c.Curvature() * highestRho
	}
	return 0, math.Inf(1)
}

// balance changes ρ where ‖X - Z‖ and the last move of Z are far apart. B stays.
func (a *Splitting) balance(before []float64, iter int) {
	var primal, dual float64
	for i, z := range a.z {
		primal += (a.x[i] - z) * (a.x[i] - z)
		dual += (z - before[i]) * (z - before[i])
	}
	ratio := math.Sqrt(primal / dual)
	if !(ratio > imbalance || ratio < 1.0/imbalance) || math.IsInf(ratio, 0) || math.IsNaN(ratio) || ratio == 0 {
		return
	}
	a.rho = min(max(a.rho*math.Sqrt(min(max(ratio, 1/maxChange), maxChange)), a.least), a.most)
	a.changed = iter + 1
	a.faster.forget()
}

// maxChange bounds the square of the factor by which ρ changes at once: the first ratios are far from those of later steps.
const maxChange = 100.0
