package multiview

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
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
	lo, hi := -float64(farthest), float64(farthest)
	x, step := math.Log(tau[0])-math.Log(tau[1]), hi-lo
	if !(math.Abs(x) < farthest) {
		x = 0
	}
	var below, above *gramBalance
	var best Balance
	for range rounds {
		f := atGrams(grams, k, x)
		if bound := f.bound(); best.Q == nil || bound < best.Upper {
			lower := best.Lower
			best = Balance{Tau: []float64{f.eta, f.rest}, Upper: bound, Lower: lower, Sigma: f.s, Q: f.z}
		}
		best.Lower = math.Max(best.Lower, f.sum)
		if f.excess() > 0 {
			lo, below = x, f
		} else {
			hi, above = x, f
		}
		if below != nil && above != nil {
			best.Upper = math.Min(best.Upper, combined(&below.balanced, &above.balanced))
		}
		if best.Upper <= best.Lower*(1+tol) || hi-lo <= settledAt*(1+math.Abs(x)) {
			break
		}
		var next float64
		if below != nil && above != nil {
			next = f.ahead(&below.balanced, &above.balanced)
		} else {
			next = x + f.excess()
		}
		if move := math.Abs(next - x); !(next > lo && next < hi) || move > step/2 {
			next, step = lo+(hi-lo)/2, hi-lo
		} else {
			step = move
		}
		x = next
	}
	return best
}

// A gramBalance is a balanced from Gram matrices.
type gramBalance struct {
	balanced
	rest float64
	z    []float64
}

// atGrams decomposes ηM₁ + (1-η)M₂.
func atGrams(grams [][]float64, k int, x float64) *gramBalance {
	eta, rest := shares(x)
	m := make([]float64, k*k)
	kernel.Axpy(eta, grams[0], m)
	kernel.Axpy(rest, grams[1], m)
	top := leading(m, k, k)
	f := &gramBalance{balanced: balanced{eta: eta, x: x}, rest: rest, z: make([]float64, 0, k*k)}
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

func ofMany(grams [][]float64, k int, tau []float64, tol float64, rounds int) Balance { panic(0) }
