package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// TotalVariation is the penalty g(z) = λ Σ |z_{i+1} - z_i| over runs of Size predictions that follow each other. It is for a
// MoreauEnvelope. g*(u) = 0 where every partial sum of a run of u is at most λ in size, and the whole sum is 0. In two dimensions
// it is an L1Norm after an operator that takes differences.
type TotalVariation struct {
	N, Size int     // Size divides N
	Lambda  float64 // ≥ 0
}

func (g *TotalVariation) Len() int    { return g.N }
func (g *TotalVariation) Stride() int { return g.Size }

// Radius is 2λ√(Size-1), a bound: u is the difference of neighbours in a vector of entries within ±λ.
func (g *TotalVariation) Radius() float64 { return 2 * g.Lambda * math.Sqrt(float64(g.Size-1)) }

// Check refuses sizes and weights that make no penalty.
func (g *TotalVariation) Check() error { return checkNorm(g.N, g.Size, g.Lambda) }

// SmoothTo has uᵢ = vᵢ - vᵢ₋₁, where the partial sums v of z/μ less the slopes of the taut string are within ±λ.
func (g *TotalVariation) SmoothTo(value, u []float64, _ int, z []float64, mu float64) {
	v := memory.Borrow[float64](g.Size)
	defer memory.Repay(v)
	for t := range value {
		group, at := z[t*g.Size:(t+1)*g.Size], u[t*g.Size:(t+1)*g.Size]
		if mu == 0 {
			g.signs(v, group)
		} else {
			g.sums(v, group, mu)
		}
		var before, inner, square float64
		for i, x := range group {
			d := v[i] - before
			inner, square, before = inner+d*x, square+d*d, v[i]
			at[i] = d
		}
		value[t] = inner - mu*square/2
	}
}

// signs writes the partial sums of a subgradient at z.
func (g *TotalVariation) signs(v, z []float64) {
	for i := range z[1:] {
		v[i] = g.Lambda * sign(z[i]-z[i+1])
	}
	v[len(z)-1] = 0
}

// sums writes the partial sums of the u of one run.
func (g *TotalVariation) sums(v, z []float64, mu float64) {
	taut(z, g.Lambda*mu, func(from, to int, slope, start, end float64) {
		sum := start * g.Lambda
		for i := from; i < to; i++ {
			sum += (z[i] - slope) / mu
			v[i] = math.Max(-g.Lambda, math.Min(g.Lambda, sum))
		}
		v[to-1] = end * g.Lambda
	})
}

// SlopeTo is e less its mean on each straight piece of the string, over μ.
func (g *TotalVariation) SlopeTo(dst []float64, _ int, z, e []float64, mu float64) {
	if mu == 0 {
		clear(dst)
		return
	}
	for lo := 0; lo < len(z); lo += g.Size {
		into, along := dst[lo:lo+g.Size], e[lo:lo+g.Size]
		taut(z[lo:lo+g.Size], g.Lambda*mu, func(from, to int, _, _, _ float64) {
			var mean float64
			for _, x := range along[from:to] {
				mean += x
			}
			mean /= float64(to - from)
			for i := from; i < to; i++ {
				into[i] = (along[i] - mean) / mu
			}
		})
	}
}

func (g *TotalVariation) ConjugateTo(value []float64, _ int, u []float64) {
	for t := range value {
		var sum, top float64
		for _, x := range u[t*g.Size : (t+1)*g.Size] {
			sum += x
			top = math.Max(top, math.Abs(sum))
		}
		value[t] = indicator(top, g.Lambda, g.Size)
		if math.Abs(sum) > g.Lambda*float64(g.Size)*0x1p-52 {
			value[t] = math.Inf(1)
		}
	}
}

// sign is -1, 0 or 1.
func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// taut finds the shortest string from 0 to the sum of y that stays within c of the partial sums of y. Its slopes are
// argmin over x of ½‖x-y‖² + c Σ|x_{i+1} - x_i| [Davies, Kovac 2001]. It calls piece for each straight piece, on from ≤ i < to:
// start and end say where the partial sum of y less the string is there, in units of c: -1, 0 or 1. From where it is held, the
// string's slope is known to lie between lo and hi; where the tube leaves this cone, the string is held at the last place that
// bounds it. It takes O(n) steps where pieces are short beside what is looked ahead, and O(n²) at worst.
func taut(y []float64, c float64, piece func(from, to int, slope, start, end float64)) {
	n := len(y)
	for from, start := 0, 0.0; from < n; {
		lo, hi := math.Inf(-1), math.Inf(1)
		atLo, atHi, next := from, from, 0.0
		sum := c * start // of y from there on, less the height of the string
		to, end, slope := n, 0.0, 0.0
		for i := from; i < n; i++ {
			sum += y[i]
			below, above, steps := sum-c, sum+c, float64(i+1-from)
			if i == n-1 {
				below, above = sum, sum
			}
			if below/steps > hi {
				to, end, slope = atHi, -1, hi
				break
			}
			if above/steps < lo {
				to, end, slope = atLo, 1, lo
				break
			}
			if x := below / steps; x >= lo {
				lo, atLo = x, i+1
			}
			if x := above / steps; x <= hi {
				hi, atHi = x, i+1
			}
			next = sum / steps
		}
		if to == n {
			slope = next
		}
		piece(from, to, slope, start, end)
		from, start = to, end
	}
}
