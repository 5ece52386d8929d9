package conform_test

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A densePenalty is h: λx, λx²/2, or the constraint x ≤ ζ or x = ζ.
type densePenalty struct {
	kind  string // linear, square, ball, equal
	value float64
}

func (h densePenalty) of(x float64) float64 {
	switch h.kind {
	case "linear":
		return h.value * x
	case "square":
		return h.value * x * x / 2
	}
	return 0
}

// conjugate is the supremum of x·polar - h(x) over 0 ≤ x ≤ limit.
func (h densePenalty) conjugate(polar, limit float64) float64 {
	switch h.kind {
	case "linear":
		return limit * math.Max(polar-h.value, 0)
	case "square":
		return math.Pow(math.Max(polar, 0), 2) / (2 * h.value)
	case "ball":
		polar = math.Max(polar, 0)
	}
	return polar * h.value
}

// A denseProblem is min L(A w + E b) + h(κ(w)) with [A E] written out: the unknowns are x = (w, b).
type denseProblem struct {
	a       *mat.Dense
	size    int // of w
	loss    denseLoss
	gauge   denseGauge
	penalty densePenalty
}

// gradient returns L, and writes its gradient in x.
func (p *denseProblem) gradient(g, x []float64) (value float64, z, slope []float64) {
	n, size := p.a.Dims()
	z, slope = make([]float64, n), make([]float64, n)
	mat.NewVecDense(n, z).MulVec(p.a, mat.NewVecDense(size, x))
	value = p.loss.eval(z, slope)
	mat.NewVecDense(size, g).MulVec(p.a.T(), mat.NewVecDense(n, slope))
	return value, z, slope
}

// proximal writes argmin over X of ½‖X - W‖² + step·h(κ(X)) and returns κ of it: W shrunk by the t that solves the penalty's
// equation, by bisection.
func (p *denseProblem) proximal(dst, w []float64, step float64) float64 {
	along, h := p.gauge.shrink(w), p.penalty
	if h.kind == "linear" {
		return along(dst, step*h.value)
	}
	tooSmall := func(t float64) bool {
		rho := along(dst, t)
		return h.kind == "square" && t < step*h.value*rho || h.kind != "square" && rho > h.value
	}
	lo, hi := 0.0, 1e-300
	for _, x := range w {
		hi = math.Max(hi, math.Abs(x))
	}
	if h.kind == "equal" {
		lo = -hi - h.value
	} else if !tooSmall(0) {
		return along(dst, 0)
	}
	for tooSmall(hi) {
		hi *= 2
	}
	for range 60 {
		if mid := (lo + hi) / 2; tooSmall(mid) {
			lo = mid
		} else {
			hi = mid
		}
	}
	return along(dst, hi)
}

// bound is the lower bound of the optimum by the plane under L at x, where L ≥ 0 gives a limit of κ(W*):
//
//	L(z) - ⟨p, z⟩ - sup over 0 ≤ x ≤ limit of xκ° - h(x),   p = ∇L(z)
//
// It holds where Eᵀp = 0, and there is none where that is more than a little. What is left of it is taken off, for constants that
// are as far as twice their size from the best.
func (p *denseProblem) bound(objective, value float64, z, slope, g, x []float64) float64 {
	negative := make([]float64, p.size)
	for i := range negative {
		negative[i] = -g[i]
	}
	low := value - dotted(slope, z) - p.penalty.conjugate(p.gauge.polar(negative), objective/p.penalty.value)
	for i := p.size; i < len(x); i++ {
		if math.Abs(g[i]) > unbalanced*math.Sqrt(dotted(slope, slope)) {
			return math.Inf(-1)
		}
		low += g[i]*x[i] - 2*math.Abs(g[i]*x[i])
	}
	return low
}

// unbalanced is the part of ‖p‖ that Eᵀp may be of where a bound is taken.
const unbalanced = 1e-6

// A reference is what the dense solver found.
type reference struct{ objective, bound float64 }

// solve minimises by accelerated proximal gradient steps with restarts, until the gap is at most tol, or so many steps.
func (p *denseProblem) solve(tol float64, steps int) reference {
	var d mat.SVD
	if !d.Factorize(p.a, mat.SVDNone) {
		panic("no singular values")
	}
	_, size := p.a.Dims()
	step := 1 / math.Max(p.loss.curvature*math.Pow(d.Values(nil)[0], 2)*(1+1e-9), 1e-300)
	x, g := make([]float64, size), make([]float64, size)
	rho := p.proximal(x[:p.size], make([]float64, p.size), step) // within the constraint
	y, last, moved := slices.Clone(x), slices.Clone(x), make([]float64, size)
	best, momentum := reference{math.Inf(1), math.Inf(-1)}, 1.0
	for k := range steps {
		if k%100 == 0 {
			value, z, slope := p.gradient(g, x)
			f := value + p.penalty.of(rho)
			best.objective = math.Min(best.objective, f)
			best.bound = math.Max(best.bound, p.bound(f, value, z, slope, g, x))
			if best.objective-best.bound <= tol*math.Abs(best.objective) {
				break
			}
		}
		p.gradient(g, y)
		copy(last, x)
		for i := range moved {
			moved[i] = y[i] - step*g[i]
		}
		copy(x, moved)
		rho = p.proximal(x[:p.size], moved[:p.size], step)
		momentum = accelerate(y, x, last, momentum)
	}
	return best
}

// accelerate writes y = x + θ(x - last), with θ = 0 where the step turned back, and returns the next momentum.
func accelerate(y, x, last []float64, momentum float64) float64 {
	var turn float64
	for i := range x {
		turn += (y[i] - x[i]) * (x[i] - last[i])
	}
	if turn > 0 {
		momentum = 1
	}
	next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
	for i := range x {
		y[i] = x[i] + (momentum-1)/next*(x[i]-last[i])
	}
	return next
}
