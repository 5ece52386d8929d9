package views

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
	"gonum.org/v1/gonum/mat"
)

// A Balance is factors W = (W Q Σ^-½)(Q Σ^½)ᵀ of a W = U Vᵀ with orthonormal V, and the bound of κ(W) that they give.
type Balance struct {
	Tau   []float64 // shares of the views, of sum 1, at which Q and Σ are those of D_τW
	Upper float64   // ≥ κ(W)
	Lower float64   // ‖D_τW‖_* ≤ κ(W), but for rounding
	Sigma []float64 // Σ, positive
	Q     []float64 // in the basis V, a vector a row
}

// floorPart is the least part of the largest singular value that Σ may have. Gram matrices do not know smaller ones; each that is
// there adds at most this part to the bound, which holds for every Σ.
const floorPart = 1e-8

// OfGrams is the Balance of views from the Gram matrices M_i = U_iᵀU_i/r_i² (k×k) of their rows. It begins at the shares tau, and
// ends when Upper is within the part tol of Lower, or after a number of decompositions.
func OfGrams(grams [][]float64, k int, tau []float64, tol float64, rounds int) Balance {
	if len(grams) == 2 {
		return ofTwo(grams, k, tau, tol, rounds)
	}
	return ofMany(grams, k, tau, tol, rounds)
}

// ofTwo is OfGrams for two views: a search for the share at which both have the same size.
func ofTwo(grams [][]float64, k int, tau []float64, tol float64, rounds int) Balance {
	in := roots.Guard{Lo: -farthest, Hi: farthest}
	x := math.Log(tau[0]) - math.Log(tau[1])
	if !(math.Abs(x) < farthest) {
		x = 0
	}
	var below, above *gramBalance
	var best Balance
	for range rounds {
		eta, rest := shares(x)
		f := atGrams(grams, k, []float64{eta, rest})
		f.x = x
		if bound := f.bound(); best.Q == nil || bound < best.Upper {
			lower := best.Lower
			best = Balance{Tau: f.tau, Upper: bound, Lower: lower, Sigma: f.s, Q: f.z}
		}
		best.Lower = math.Max(best.Lower, f.sum)
		if f.excess() > 0 {
			in.Lo, below = x, f
		} else {
			in.Hi, above = x, f
		}
		if below != nil && above != nil {
			best.Upper = math.Min(best.Upper, combined(&below.balanced, &above.balanced))
		}
		if best.Upper <= best.Lower*(1+tol) || in.Hi-in.Lo <= settledAt*(1+math.Abs(x)) {
			break
		}
		var next float64
		if below != nil && above != nil {
			next = f.ahead(&below.balanced, &above.balanced)
		} else {
			next = x + f.excess()
		}
		x = in.Next(x, next)
	}
	return best
}

// ofMany is OfGrams for any number of views. The concave function ½(‖D_τW‖_* - Στ_i), whose τ is free of scale, is maximised by
// Newton steps: its derivatives are ½(n_i - 1) for the sizes n_i of the views, which are all the same at the optimum unless τ_i =
// 0.
func ofMany(grams [][]float64, k int, tau []float64, tol float64, rounds int) Balance {
	var best Balance
	upper, idle := math.Inf(1), 0
	f := atGrams(grams, k, tau)
	for range rounds {
		if f.sum == 0 {
			return Balance{Tau: tau}
		}
		if bound := f.bound(); best.Q == nil || bound < best.Upper {
			best = Balance{Tau: f.tau, Upper: bound, Lower: best.Lower, Sigma: f.s, Q: f.z}
		}
		if idle++; best.Upper < upper*(1-sumRounding) || f.sum > best.Lower*(1+sumRounding) {
			upper, idle = best.Upper, 0
		}
		best.Lower = math.Max(best.Lower, f.sum)
		if best.Upper <= best.Lower*(1+tol) || idle > mostIdle {
			break
		}
		next := f.newton(grams, k)
		g := atGrams(grams, k, next)
		for try := 0; g.sum < f.sum*(1-sumRounding) && try < mostHalvings; try++ {
			for i, t := range f.tau {
				next[i] = math.Sqrt(t * next[i]) // half of the way, in logarithms
			}
			g = atGrams(grams, k, scaledToOne(next))
		}
		if g.sum < f.sum*(1-sumRounding) {
			g = atGrams(grams, k, scaledToOne(f.towards()))
		}
		f = g
	}
	return best
}

const (
	// sumRounding is the part of ‖D_τW‖_* that is rounding. Near the best τ it is flat, and Upper, of first order there, still
	// falls.
	sumRounding = rounding.Product
	// mostHalvings limits how often a step of τ that lowers ‖D_τW‖_* is halved; there is another one behind.
	mostHalvings = 2
	// mostIdle is the rounds in a row that move neither Upper nor Lower after which both are at rounding.
	mostIdle = 5
)

// scaledToOne is τ over its sum, in a new slice.
func scaledToOne(tau []float64) []float64 {
	var sum float64
	for _, t := range tau {
		sum += t
	}
	next := append([]float64(nil), tau...)
	kernel.Scale(1/sum, next)
	return next
}

// flatRidge keeps the second derivatives definite where ‖D_τW‖_* is linear in τ, as for a W of rank one.
const flatRidge = 1e-9

// leastShare is the part of the largest share that others are at least: a view may belong to no optimum.
const leastShare = rounding.Null

// newton is the next τ: a Newton step that takes at most nine tenths of a share or, without one, τ_i times its size.
func (f *gramBalance) newton(grams [][]float64, k int) []float64 {
	count := len(grams)
	parts := make([][]float64, count)
	pairs := make([]float64, k*k)
	for a, sa := range f.s {
		for b, sb := range f.s {
			pairs[a*k+b] = 1 / (sa * sb * (sa + sb))
		}
	}
	h, g := mat.NewSymDense(count, nil), mat.NewVecDense(count, nil)
	for i, gram := range grams {
		parts[i] = congruent(gram, f.z, k)
		weighed := make([]float64, k*k)
		kernel.Hadamard(weighed, pairs, parts[i])
		for j := range i + 1 { // minus the second derivative, at the scale of τ that is best
			h.SetSym(i, j, kernel.Dot(weighed, parts[j])/f.sum)
		}
		h.SetSym(i, i, h.At(i, i)*(1+flatRidge))
		g.SetVec(i, f.norms[i]/f.sum-1)
	}
	return scaledToOne(f.inside(h, g))
}

// inside is τ + H⁻¹g with every share positive. The share that the step would take furthest below a tenth of it falls to that, or
// moves towards its size where the derivative is positive, and the step of the others follows it; and so on.
func (f *gramBalance) inside(h *mat.SymDense, g *mat.VecDense) []float64 {
	next := f.towards()
	fixed, move := make([]bool, len(f.tau)), make([]float64, len(f.tau))
	for range f.tau {
		step := reducedStep(h, g, fixed, move)
		if step == nil {
			return next
		}
		worst, at := -interior, -1
		for i, t := range f.tau {
			if !fixed[i] && step[i] < worst*t {
				worst, at = step[i]/t, i
			}
		}
		move = step
		if at < 0 {
			break
		}
		fixed[at] = true
		if move[at] = -interior * f.tau[at]; g.AtVec(at) > 0 {
			move[at] = next[at] - f.tau[at]
		}
	}
	for i, t := range f.tau {
		next[i] = math.Max(t+move[i], leastShare)
	}
	return next
}

// towards is τ_i times the root of the size of the view: less than τ_i where the derivative is negative.
func (f *gramBalance) towards() []float64 {
	next := make([]float64, len(f.tau))
	for i, t := range f.tau {
		next[i] = math.Max(t*math.Sqrt(f.norms[i]/f.sum), leastShare)
	}
	return next
}

// reducedStep is H⁻¹g where the fixed variables move as said; nil where H is singular.
func reducedStep(h *mat.SymDense, g *mat.VecDense, fixed []bool, move []float64) []float64 {
	var free []int
	for i, f := range fixed {
		if !f {
			free = append(free, i)
		}
	}
	step := append([]float64(nil), move...)
	if len(free) == 0 {
		return step
	}
	sub, rest := mat.NewSymDense(len(free), nil), mat.NewVecDense(len(free), nil)
	for a, i := range free {
		left := g.AtVec(i)
		for j, f := range fixed {
			if f {
				left -= h.At(i, j) * move[j]
			}
		}
		rest.SetVec(a, left)
		for b, j := range free[:a+1] {
			sub.SetSym(a, b, h.At(i, j))
		}
	}
	var chol mat.Cholesky
	x := mat.NewVecDense(len(free), nil)
	if !chol.Factorize(sub) || chol.SolveVecTo(x, rest) != nil {
		return nil
	}
	for a, i := range free {
		step[i] = x.AtVec(a)
	}
	return step
}

// A gramBalance is a balanced from Gram matrices.
type gramBalance struct {
	balanced
	z []float64 // Q, a vector a row
}

// atGrams decomposes Στ_iM_i.
func atGrams(grams [][]float64, k int, tau []float64) *gramBalance {
	m := make([]float64, k*k)
	for i, gram := range grams {
		kernel.Axpy(tau[i], gram, m)
	}
	top := leading(m, k, k)
	f := &gramBalance{balanced: balanced{tau: tau, norms: make([]float64, len(grams))}, z: make([]float64, 0, k*k)}
	least := floorPart * math.Sqrt(math.Max(top.values[0], 0))
	for i, v := range top.vectors {
		s := math.Max(math.Sqrt(math.Max(top.values[i], 0)), least)
		f.s = append(f.s, s)
		f.sum += s
		f.z = append(f.z, v...)
	}
	for i, gram := range grams {
		mz := make([]float64, k*k)
		kernel.GemmNN(mz, f.z, gram, k, k, k)
		for a, s := range f.s {
			f.norms[i] += math.Max(kernel.Dot(mz[a*k:(a+1)*k], f.z[a*k:(a+1)*k]), 0) / s
		}
	}
	return f
}
