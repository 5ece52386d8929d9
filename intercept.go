package gcg

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/par"
)

// fitIntercept minimises L(z + E b) over the unpenalised intercept b, given s.Z = A(W), adds E b to s.Z and sets s.R and s.Loss. A
// certificate needs Eᵀ∇L = 0, so the Newton steps go on to rounding, unless there are to be fewer. b starts where it was or, if level is
// not nil and that is better, where the means of the predictions are level: where features are far from 0, b is far off as soon as W moves.
func (p *Problem) fitIntercept(s *State, level []float64, steps int) {
	f := &interceptFit{p: p, s: s, places: p.Places(), base: append([]float64(nil), s.Z...)}
	s.Loss = f.start(s.Intercept, level)
	rounding := 1e-15 + 1e-16*math.Sqrt(float64(len(s.Z)/f.places.Count)) // of sums of so many terms
	for range steps {
		grad, size := f.gradient()
		off := worst(grad, size)
		if off <= rounding {
			return
		}
		least := 1e-6
		if off <= unbalanced { // where a whole step gains nothing, neither does a part of it
			least = 1
		}
		next, ok := f.search(s.Intercept, f.newtonStep(grad), grad, s.Loss, least)
		s.Loss = next
		if !ok {
			break
		}
	}
	if steps < fullSteps {
		return
	}
	if grad, size := f.gradient(); worst(grad, size) > unbalanced {
		f.settle(s.Loss)
	}
}

// fullSteps are more Newton steps than a fit takes where they converge.
const fullSteps = 30

// unbalanced is more than Newton's method leaves of a gradient, relative to its terms, where it converges.
const unbalanced = 1e-12

type interceptFit struct {
	p       *Problem
	s       *State
	places  Places
	base, e []float64 // e is work space of hessian
}

// start evaluates at b, or puts b where the predictions have the means level if the loss is less there. Where that is less than the
// loss has been, b is not tried.
func (f *interceptFit) start(b, level []float64) float64 {
	if level == nil {
		return f.evaluate(b)
	}
	old, mean := append([]float64(nil), b...), f.places.Means(f.base)
	for c := range b {
		b[c] = level[c] - mean[c]
	}
	levelled := f.evaluate(b)
	if levelled <= f.s.Loss && !math.IsInf(levelled, 1) { // as both are after a step that was far too long
		return levelled
	}
	there := append([]float64(nil), b...)
	copy(b, old)
	if value := f.evaluate(b); !(levelled < value) {
		return value
	}
	copy(b, there)
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

// newtonStep solves Eᵀ∇²L E d = grad by conjugate gradients: one pass over the observations for each, or for all. Without second
// derivatives, or where they vanish, it is a gradient step with the bound of the curvature.
func (f *interceptFit) newtonStep(grad []float64) []float64 {
	c := len(grad)
	d, r := make([]float64, c), append([]float64(nil), grad...)
	curved, ok := f.p.Loss.(CurvedLoss)
	if !ok {
		return r
	}
	if Separable(f.p.Loss) {
		return f.separateStep(grad, CurvatureAt(curved, f.s.Z))
	}
	bound := CurvatureAt(curved, f.s.Z) * float64(len(f.base)/c)
	q := append([]float64(nil), r...)
	start := Norm(r)
	rr := start * start
	all := f.p.HessSum(f.s.R)
	for range 2*c + 5 {
		var h []float64
		if all == nil {
			h = f.hessian(q)
		} else {
			h = symmetricTimes(all, q)
		}
		var curve float64
		for k := range q {
			curve += q[k] * h[k]
		}
		if qq := Norm(q); !(curve > 1e-12*bound*qq*qq) {
			if Norm(d) == 0 {
				for k := range d {
					d[k] = grad[k] / bound
				}
			}
			break
		}
		var next float64
		for k := range d {
			d[k] += rr / curve * q[k]
			r[k] -= rr / curve * h[k]
			next += r[k] * r[k]
		}
		for k := range q {
			q[k] = r[k] + next/rr*q[k]
		}
		if rr = next; !(math.Sqrt(rr) > 1e-3*start) {
			break
		}
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
		case h[c] > 1e-12*bound:
			d[c] = g / h[c]
		case bound > 0:
			d[c] = g / bound
		default: // no observation
			d[c] = 0
		}
	}
	return d
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
// gradient does.
func (f *interceptFit) search(b, step, grad []float64, value, least float64) (float64, bool) {
	old := append([]float64(nil), b...)
	for t := 1.0; t >= least; t /= 2 {
		for k := range b {
			b[k] = old[k] + t*step[k]
		}
		next := f.evaluate(b)
		if next < value-1e-15*math.Abs(value) {
			return next, true
		}
		if after, _ := f.gradient(); next <= value+1e-14*math.Abs(value) && Norm(after) < 0.5*Norm(grad) {
			return next, true
		}
	}
	copy(b, old)
	f.evaluate(b)
	return value, false
}
