package gcg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

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
		return f.separateStep(grad, CurvatureAt(curved, f.s.Z))
	}
	scale, accuracy, times := make([]float64, c), 1e-3, f.hessian
	bound := CurvatureAt(curved, f.s.Z) * float64(len(f.base)/c)
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
const flat = 1e-12

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
