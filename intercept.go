package gcg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// fitIntercept minimises L(z + E b) over the unpenalised intercept b, given s.Z = A(W), adds E b to s.Z and sets s.R and s.Loss. A
// certificate needs Eᵀ∇L = 0: Newton steps go on until rounding, or until every sum of Eᵀ∇L is within goal of the sum of the sizes of its
// terms. b starts at one of the guesses, where the means of the predictions are level, or where it was: wherever the loss is what it has been,
// or is least. Where features are far from 0, b is far off as soon as W moves.
func (p *Problem) fitIntercept(s *State, goal float64, level []float64, guesses ...[]float64) {
	f := &interceptFit{p: p, s: s, places: p.Places(), base: append([]float64(nil), s.Z...)}
	if level != nil {
		kernel.Axpy(-1, f.places.Means(f.base), level)
		guesses = append(guesses, level)
	}
	s.Loss = f.start(s.Intercept, append(guesses, slices.Clone(s.Intercept)))
	rough := goal > 0
	goal = math.Max(goal, 1e-15+1e-16*math.Sqrt(float64(len(s.Z)/f.places.Count))) // which is the rounding of sums of so many terms
	for range 30 {
		grad, size := f.gradient()
		off := worst(grad, size)
		if off <= goal {
			return
		}
		if off > balanced && f.dear() {
			if next, ok := f.search(s.Intercept, logRatioStep(grad, size), grad, off, s.Loss, 0.25); ok {
				s.Loss = next
				continue
			}
		}
		least := 1e-6
		if off <= unbalanced { // where a whole step gains nothing, neither does a part of it
			least = 1
		}
		next, ok := f.search(s.Intercept, f.newtonStep(grad), grad, off, s.Loss, least)
		s.Loss = next
		if !ok {
			break
		}
	}
	if rough {
		return // a step that leaves so much was too long, and the loss is high enough to refuse it
	}
	if grad, size := f.gradient(); worst(grad, size) > math.Max(goal, unbalanced) {
		f.bracketEach(s.Loss)
	}
}

// unbalanced is more than Newton's method leaves of a gradient, relative to its terms, where it converges.
const unbalanced = 1e-12

// balanced is below what of its terms Newton's method converges fast for a gradient.
const balanced = 0.5

// manyPlaces is from how many constants on the matrix of second derivatives takes longer than a pass over the observations.
const manyPlaces = 64

// dear says that this is so, and that the loss couples the observations of a stride.
func (f *interceptFit) dear() bool {
	_, ok := f.p.Loss.(OuterLoss)
	return ok && f.places.Count >= manyPlaces
}

// logRatioStep is the step log(s₊/s₋) of every constant, with s₊ and -s₋ the sums of the terms of its gradient above and below 0: where these are of
// probabilities that are small, as those of rare classes, they are in proportion to the exponential of the constant. It takes one pass
// where Newton's method takes several from afar.
func logRatioStep(grad, size []float64) []float64 {
	step := make([]float64, len(grad))
	for k, g := range grad {
		if size[k] > 0 {
			step[k] = 2 * math.Atanh(math.Max(-farthest, math.Min(farthest, g/size[k])))
		}
	}
	return step
}

// farthest is a step of about 14.
const farthest = 1 - 1e-6

type interceptFit struct {
	p       *Problem
	s       *State
	places  Places
	base, e []float64 // e is work space of hessian
}

// start puts b at the first of the guesses where the loss is not above what it has been, or where it is least.
func (f *interceptFit) start(b []float64, guesses [][]float64) float64 {
	least, best := math.Inf(1), guesses[len(guesses)-1]
	for _, guess := range guesses {
		copy(b, guess)
		value := f.evaluate(b)
		if value <= f.s.Loss && !math.IsInf(value, 1) { // as both are after a step that was far too long
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
	return par.Sum(f.p.Blocks(), func(t int) float64 { // block by block: they stay in the cache
		lo, hi := f.p.Block(t)
		copy(z[lo:hi], f.base[lo:hi])
		f.places.addTo(z[lo:hi], lo, 1, b)
		return f.p.Loss.Eval(lo, z[lo:hi], r[lo:hi])
	})
}

// gradient is -Eᵀ∇L, and the sum of the sizes of its terms.
func (f *interceptFit) gradient() (grad, size []float64) {
	return f.places.Sums(f.s.R), f.places.sizes(f.s.R)
}

func worst(grad, size []float64) float64 {
	var top float64
	for k, g := range grad {
		if size[k] > 0 {
			top = math.Max(top, math.Abs(g)/size[k])
		}
	}
	return top
}

// newtonStep solves Eᵀ∇²L E d = grad by conjugate gradients: one pass over the observations for each, or for all, which are as good as one
// likes then. Without second derivatives, or where they vanish, it is a gradient step with the bound of the curvature.
func (f *interceptFit) newtonStep(grad []float64) []float64 {
	c := len(grad)
	curved, ok := f.p.Loss.(CurvedLoss)
	if !ok {
		return slices.Clone(grad)
	}
	if Separable(f.p.Loss) {
		return f.separateStep(grad, CurvatureAt(curved, f.s.Z))
	}
	scale, accuracy, times := make([]float64, c), 1e-3, f.hessian
	bound := CurvatureAt(curved, f.s.Z) * float64(len(f.base)/c)
	if all := f.p.HessSum(f.s.R); all != nil {
		for k := range scale { // constants of classes that are rare and of others are far apart
			scale[k] = math.Max(all[k*c+k], flat*bound)
		}
		accuracy, times = 1e-6, func(q []float64) []float64 { return symmetricTimes(all, q) }
		if h := times(ones(c)); Norm(h) <= flatSum*Norm(scale) { // as of a softmax, for which a gradient's sum is rounding
			grad = slices.Clone(grad)
			kernel.Axpy(-sum(grad)/sum(scale), scale, grad)
		}
	} else {
		for k := range scale {
			scale[k] = bound
		}
	}
	return solveScaled(times, grad, scale, accuracy)
}

// flatSum is the part of the scale below which a second derivative along a constant for all places is rounding.
const flatSum = 1e-9

// flat is the part of the bound of the curvature, or of the scale, below which there is none.
const flat = 1e-12

// solveScaled solves H d = grad by conjugate gradients with the preconditioner diag(scale), to an accuracy of r in its norm. Where H turns out
// to be flat at once, d is grad/scale.
func solveScaled(times func(q []float64) []float64, grad, scale []float64, accuracy float64) []float64 {
	c := len(grad)
	precondition := func(z, r []float64) {
		for k, x := range r {
			z[k] = x / scale[k]
		}
	}
	multiply := func(hq, q, _ []float64) { copy(hq, times(q)) }
	solver := linalg.ConjugateGradients{Multiply: multiply, Precondition: precondition, Limit: 2*c + 5, Accuracy: accuracy, Flat: flat}
	d := make([]float64, c)
	if steps, ok := solver.Solve(d, slices.Clone(grad)); steps == 0 && !ok {
		precondition(d, grad)
	}
	return d
}

// separateStep is newtonStep for a loss that couples no observations: Eᵀ∇²L E is diagonal.
func (f *interceptFit) separateStep(grad []float64, curvature float64) []float64 {
	d := ones(len(grad))
	h, count := f.hessian(d), f.places.Sums(ones(len(f.base)))
	for c, g := range grad {
		bound := curvature * count[c]
		switch {
		case h[c] > flat*bound:
			d[c] = g / h[c]
		case bound > 0:
			d[c] = g / bound
		default: // no observation
			d[c] = 0
		}
	}
	return d
}

func sum(x []float64) (all float64) {
	for _, v := range x {
		all += v
	}
	return all
}

func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// symmetricTimes is A q for a symmetric A.
func symmetricTimes(a, q []float64) []float64 {
	n := len(q)
	h := make([]float64, n)
	for k := range h {
		h[k] = kernel.Dot(a[k*n:(k+1)*n], q)
	}
	return h
}

// hessian is Eᵀ∇²L E q.
func (f *interceptFit) hessian(q []float64) []float64 {
	if f.e == nil {
		f.e = make([]float64, len(f.base))
	}
	clear(f.e)
	f.places.AddTo(f.e, 1, q)
	f.p.HessTo(f.e, f.s.Z, f.s.R, f.e)
	return f.places.Sums(f.e)
}

// search halves the step, down to the part least, until the loss falls; where it no longer tells two points apart, until the
// gradient does, on the whole or where it was the largest part, off, of its terms.
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
