package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg/internal/linalg"
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
	linalg.TautString(z, nil, g.Lambda*mu, func(from, to int, slope, start, end float64) {
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
		linalg.TautString(z[lo:lo+g.Size], nil, g.Lambda*mu, func(from, to int, _, _, _ float64) {
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
