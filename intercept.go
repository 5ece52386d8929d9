package gcg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// fitIntercept minimises L(z + E b) over the unpenalised intercept b, given s.Z = A(W). It adds E b to s.Z and sets s.R and
// s.Loss.
//
// A certificate needs Eᵀ∇L = 0. Newton steps go on until rounding, or until every sum in Eᵀ∇L is at most goal times the sum of
// the sizes of its terms.
//
// b starts at the first of these at which the loss is not above what it has been, or else at the best of them: the guesses; the b
// that makes the mean predictions equal to level, if level is not nil; and the present b. The present b alone would not do: where
// features are far from 0, b is far off as soon as W moves. level is overwritten.
func (p *Problem) fitIntercept(s *State, goal float64, level []float64, guesses ...[]float64) {
	f := &interceptFit{p: p, s: s, intercepts: p.InterceptMap(), base: append([]float64(nil), s.Z...)}
	if level != nil {
		kernel.Axpy(-1, f.intercepts.Means(f.base), level)
		guesses = append(guesses, level)
	}
	s.Loss = f.start(s.Intercept, append(guesses, slices.Clone(s.Intercept)))
	rough := goal > 0
	// the latter is the rounding of sums of so many terms
	goal = math.Max(goal, 1e-15+1e-16*math.Sqrt(float64(len(s.Z)/f.intercepts.Count)))
	for range 30 {
		grad, size := f.gradient()
		off := worst(grad, size)
		if off <= goal {
			return
		}
		if off > balanced && f.manyCoupled() {
			if next, ok := f.search(s.Intercept, logRatioStep(grad, size), grad, off, s.Loss, 0.25); ok {
				s.Loss = next
				continue
			}
		}
		least := 1e-6
		if off <= unbalanced { // a part of a step gains nothing where the whole step does not
			least = 1
		}
		next, ok := f.search(s.Intercept, f.newtonStep(grad), grad, off, s.Loss, least)
		s.Loss = next
		if !ok {
			break
		}
	}
	if rough {
		return // a step of W that leaves so much was too long, and the loss is high enough for it to be refused
	}
	if grad, size := f.gradient(); worst(grad, size) > math.Max(goal, unbalanced) {
		f.bracketEach(s.Loss)
	}
	f.balance()
}

// unbalanced is a gradient, relative to the sum of the sizes of its terms, above which Newton's method has not converged.
const unbalanced = 1e-12

// balanced is a gradient, relative to the sum of the sizes of its terms, below which Newton's method converges fast.
const balanced = 0.5

// manyIntercepts is the number of constants from which on the matrix of second derivatives takes longer than a pass over the
// observations.
const manyIntercepts = 64

// manyCoupled reports whether there are so many constants, and the loss couples the observations of a row.
func (f *interceptFit) manyCoupled() bool {
	_, ok := f.p.Loss.(OuterLoss)
	return ok && f.intercepts.Count >= manyIntercepts
}

// logRatioStep is the step log(s₊/s₋) of every constant, where s₊ is the sum of the positive terms of its gradient, and s₋ the
// sum of the sizes of the others. Where terms are small probabilities, as those of rare classes are, their sums grow like the
// exponential of the constant. Then this step takes one pass where Newton's method takes several.
func logRatioStep(grad, size []float64) []float64 {
	step := make([]float64, len(grad))
	for k, g := range grad {
		if size[k] > 0 {
			step[k] = 2 * math.Atanh(math.Max(-farthest, math.Min(farthest, g/size[k])))
		}
	}
	return step
}

// farthest bounds g/size in logRatioStep; the longest step is then about 14.
const farthest = 1 - 1e-6

// An interceptFit is the minimisation of L(z + E b) over b, which is s.Intercept.
type interceptFit struct {
	p          *Problem
	s          *State
	intercepts InterceptMap
	base       []float64 // z, without E b
	e          []float64 // work space of hessian, or nil
}

// start sets b to the first of the guesses where the loss is not above what it has been, or else to the best of them. It
// evaluates there and returns the loss.
func (f *interceptFit) start(b []float64, guesses [][]float64) float64 {
	least, best := math.Inf(1), guesses[len(guesses)-1]
	for _, guess := range guesses {
		copy(b, guess)
		value := f.evaluate(b)
		if value <= f.s.Loss && !math.IsInf(value, 1) { // both are +Inf after a step that was far too long
			return value
		}
		if value < least {
			least, best = value, guess
		}
	}
	if slices.Equal(b, best) {
		return least
	}
	copy(b, best)
	return f.evaluate(b)
}

// evaluate writes s.Z = base + E b and s.R, and returns the loss.
func (f *interceptFit) evaluate(b []float64) float64 {
	z, r := f.s.Z, f.s.R
	return f.p.Sum(func(lo, hi int) float64 { // block by block: they stay in the cache
		copy(z[lo:hi], f.base[lo:hi])
		f.intercepts.addTo(z[lo:hi], lo, 1, b)
		return f.p.Loss.Eval(lo, z[lo:hi], r[lo:hi])
	})
}

// gradient is -Eᵀ∇L, and for each constant the sum of the sizes of its terms.
func (f *interceptFit) gradient() (grad, size []float64) {
	return f.intercepts.Sums(f.s.R), f.intercepts.sizes(f.s.R)
}

// worst is the largest of the gradients, relative to the sum of the sizes of its terms.
func worst(grad, size []float64) float64 {
	var top float64
	for k, g := range grad {
		if size[k] > 0 {
			top = math.Max(top, math.Abs(g)/size[k])
		}
	}
	return top
}

// search tries b + t·step for t = 1, ½, … down to least, until the loss falls below value. Where the two losses differ by
// rounding only, the gradient must be halved instead, in its norm or in its worst part, which was off. It returns the loss at the
// new b. Where no t serves, b is back where it was, and false is returned.
func (f *interceptFit) search(b, step, grad []float64, off, value, least float64) (float64, bool) {
	old := append([]float64(nil), b...)
	for t := 1.0; t >= least; t /= 2 {
		for k := range b {
			b[k] = old[k] + t*step[k]
		}
		next := f.evaluate(b)
		if next < value-1e-15*math.Abs(value) {
			return next, true
		}
		if next <= value+1e-14*math.Abs(value) {
			if after, size := f.gradient(); Norm(after) < 0.5*Norm(grad) || worst(after, size) < 0.5*off {
				return next, true
			}
		}
	}
	copy(b, old)
	f.evaluate(b)
	return value, false
}
