package gcg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
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
	goal = math.Max(goal, 1e-15+1e-16*math.Sqrt(float64(p.Observations()/f.intercepts.Count)))
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
const unbalanced = rounding.Null

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
		if next < value-rounding.Number*math.Abs(value) {
			return next, true
		}
		if next <= value+rounding.Sum*math.Abs(value) {
			if after, size := f.gradient(); Norm(after) < 0.5*Norm(grad) || worst(after, size) < 0.5*off {
				return next, true
			}
		}
	}
	copy(b, old)
	f.evaluate(b)
	return value, false
}

// bracketEach finishes a fit that Newton's method left unbalanced, as it does where second derivatives vanish. A Huber loss has
// no curvature far from its targets, so that Newton steps there are too short or too long. ∂L/∂b_c rises in b_c, so that its root
// can be bracketed and the bracket narrowed. All constants take one pass over the observations for each evaluation. This is exact
// for losses that do not couple the constants. For others the result is kept only if the loss, which was value, is not higher.
func (f *interceptFit) bracketEach(value float64) {
	b := f.s.Intercept
	old := slices.Clone(b)
	from, to := f.brackets()
	roots.Search(b, from, to, 0, func(slope, x []float64) {
		f.evaluate(x)
		grad, size := f.gradient()
		for c, g := range grad {
			if slope[c] = g; math.Abs(g) <= rounding.Number*size[c] {
				slope[c] = 0
			}
		}
	})
	if f.s.Loss = f.evaluate(b); !(f.s.Loss <= value+rounding.Sum*math.Abs(value)) {
		copy(b, old)
		f.s.Loss = f.evaluate(b)
	}
}

// brackets are points on both sides of the root of each constant, from steps of doubled length. Where there is no root, both are
// the constant.
func (f *interceptFit) brackets() (from, to []float64) {
	b := f.s.Intercept
	grad, _ := f.gradient()
	from, to = slices.Clone(b), slices.Clone(b)
	at, step, count := slices.Clone(b), make([]float64, len(b)), f.intercepts.counts(len(f.base))
	for c, g := range grad {
		step[c] = math.Copysign(f.shortest(g, b[c], count[c]), g)
	}
	for range mostDoublings {
		open := false
		for c, g := range grad {
			switch {
			case step[c] == 0:
			case g*step[c] <= 0:
				to[c], step[c] = at[c], 0
			default:
				from[c] = at[c]
				at[c] += step[c]
				step[c] *= 2
				open = true
			}
		}
		if !open {
			break
		}
		f.evaluate(at)
		grad, _ = f.gradient()
	}
	for c, s := range step {
		if s != 0 {
			from[c] = b[c]
		}
	}
	return from, to
}

// mostDoublings of a step lead from rounding to where no prediction is meant to be.
const mostDoublings = 150

// shortest is the size of a gradient step with the bound of the curvature, for a gradient that is a sum over count
// observations; it never passes the root. Where there is no bound it is a small step from b.
func (f *interceptFit) shortest(grad, b, count float64) float64 {
	if curved, ok := f.p.Loss.(CurvedLoss); ok {
		return math.Abs(grad) / (f.p.CurvatureAt(curved, f.s.Z) * max(1, count))
	}
	return math.Max(1e-3*math.Abs(b), 1e-6)
}

// dualOffset is what an intercept adds to the lower bound of the dual point p = -R: ⟨Eᵀp, b⟩ at the optimal b, which is 0 but for
// rounding. The result is a lower bound of it where each constant is within the mean size of its predictions A(W) of the optimal
// one: as W moves, constants make up for these. It reports false where Eᵀp is more than rounding, and no certificate holds.
func (s *State) dualOffset(p *Problem) (offset float64, ok bool) {
	if s.Intercept == nil {
		return 0, true
	}
	f := &interceptFit{p: p, s: s, intercepts: p.InterceptMap()}
	grad, size := f.gradient()
	var level float64 // of the rounding of a slope, for each unit of prediction
	if curved, is := p.Loss.(CurvedLoss); is {
		level = rounding.Number * p.CurvatureAt(curved, s.Z)
	}
	reach, count := f.intercepts.sizes(s.Z), f.intercepts.counts(len(s.Z))
	w := memory.Borrow[float64](len(s.Z)) // A(W)
	defer memory.Repay(w)
	copy(w, s.Z)
	f.intercepts.AddTo(w, -1, s.Intercept)
	sizes := f.intercepts.sizes(w)
	for c, g := range grad {
		if !(math.Abs(g) <= 1e-9*size[c]+level*reach[c]) {
			return 0, false
		}
		offset -= g*s.Intercept[c] + math.Abs(g)*sizes[c]/math.Max(count[c], 1)
	}
	return offset, true
}

// newtonStep solves Eᵀ∇²L E d = grad by conjugate gradients. Each iteration takes a pass over the observations, unless one pass
// forms Eᵀ∇²L E for all of them, which are then run to a higher accuracy. Where second derivatives vanish, d is a gradient step
// with the bound of the curvature, and without any it is grad.
func (f *interceptFit) newtonStep(grad []float64) []float64 {
	c := len(grad)
	curved, ok := f.p.Loss.(CurvedLoss)
	if !ok {
		return slices.Clone(grad)
	}
	if Separable(f.p.Loss) {
		return f.separateStep(grad, f.p.CurvatureAt(curved, f.s.Z))
	}
	scale, accuracy, times := make([]float64, c), 1e-3, f.hessian
	bound := f.p.CurvatureAt(curved, f.s.Z) * float64(f.p.Observations()/c)
	if all := f.p.HessSum(f.s.R); all != nil {
		for k := range scale { // second derivatives of rare classes are far smaller than those of others
			scale[k] = math.Max(all[k*c+k], flat*bound)
		}
		accuracy, times = 1e-6, func(q []float64) []float64 { return symmetricTimes(all, q) }
		if h := times(ones(c)); Norm(h) <= flatSum*Norm(scale) { // for a softmax, where the sum of the gradient is rounding
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

// flatSum is the part of the scale below which the second derivative along a constant that is the same for all places is
// rounding.
const flatSum = 1e-9

// flat is the part of the bound of the curvature, or of the scale, below which a second derivative counts as 0.
const flat = rounding.Null

// solveScaled solves H d = grad by conjugate gradients with the preconditioner diag(scale), until the residual is accuracy
// times grad in the preconditioner's norm. times is H q. Where H turns out to be flat in the first direction, d is
// grad/scale.
func solveScaled(times func(q []float64) []float64, grad, scale []float64, accuracy float64) []float64 {
	c := len(grad)
	precondition := func(z, r []float64) {
		for k, x := range r {
			z[k] = x / scale[k]
		}
	}
	multiply := func(hq, q, _ []float64) { copy(hq, times(q)) }
	solver := linalg.ConjugateGradients{Multiply: multiply, Precondition: precondition, Limit: 2*c + 5, Accuracy: accuracy,
		Flat: flat}
	d := make([]float64, c)
	if steps, ok := solver.Solve(d, slices.Clone(grad)); steps == 0 && !ok {
		precondition(d, grad)
	}
	return d
}

// separateStep is newtonStep for a loss that couples no observations, for which Eᵀ∇²L E is diagonal.
func (f *interceptFit) separateStep(grad []float64, curvature float64) []float64 {
	d := ones(len(grad))
	h, count := f.hessian(d), f.intercepts.counts(len(f.base))
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

// sum is Σ xᵢ.
func sum(x []float64) (all float64) {
	for _, v := range x {
		all += v
	}
	return all
}

// ones is n ones.
func ones(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1
	}
	return x
}

// symmetricTimes is A q for a symmetric A, row-major.
func symmetricTimes(a, q []float64) []float64 {
	n := len(q)
	h := make([]float64, n)
	for k := range h {
		h[k] = kernel.Dot(a[k*n:(k+1)*n], q)
	}
	return h
}

// hessian is Eᵀ∇²L E q.
func (f *interceptFit) hessian(q []float64) []float64 { return f.intercepts.Sums(f.curve(q)) }

// curve is ∇²L E q, in the memory of the one before.
func (f *interceptFit) curve(q []float64) []float64 {
	if f.e == nil {
		f.e = make([]float64, len(f.base))
	}
	clear(f.e)
	f.intercepts.AddTo(f.e, 1, q)
	f.p.HessTo(f.e, f.s.Z, f.s.R, f.e)
	return f.e
}

// balance takes one more Newton step in R alone, r ← r - ∇²L E d, for which b has no digits left where predictions are large.
// With features at 10⁷ the last digit of b leaves so much of Eᵀr that lower bounds were up to 3e-7 of F too high. R need not be
// -∇L(z) to the last digit to be a dual point, but Eᵀr has to be 0.
func (f *interceptFit) balance() {
	if _, ok := f.p.Loss.(CurvedLoss); !ok {
		return
	}
	grad, size := f.gradient()
	before := worst(grad, size)
	if !(before <= nearlyBalanced) {
		return
	}
	change := f.curve(f.newtonStep(grad))
	kernel.Axpy(-1, change, f.s.R)
	if after, size := f.gradient(); worst(after, size) > before {
		kernel.Axpy(1, change, f.s.R)
	}
}

// nearlyBalanced is a gradient, relative to the sum of the sizes of its terms, that is due to the rounding of large predictions
// at most.
const nearlyBalanced = 1e-6
