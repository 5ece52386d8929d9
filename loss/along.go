package loss

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// A norm is a Lipschitz penalty whose ℓ* is 0 or +Inf, so that ℓ*(su) is 0 for s up to a limit and +Inf beyond.
type norm interface {
	// LargestScale is the largest s with ℓ*(su) = 0, as ConjugateTo has it; +Inf for u = 0.
	LargestScale(u []float64) float64
}

// LargestScale is λ/max|uᵢ|.
func (g *L1Norm) LargestScale(u []float64) float64 {
	return largestScale(linalg.MaxAbs(u), g.Lambda, 1)
}

// LargestScale is λ over the largest ‖u_g‖₂.
func (g *GroupNorm) LargestScale(u []float64) float64 { return g.ofGroups(u, gcg.Norm) }

// LargestScale is λ over the largest ‖u_g‖₁.
func (g *MaxNorm) LargestScale(u []float64) float64 {
	return (&GroupNorm{g.N, g.Size, g.Lambda}).ofGroups(u, func(group []float64) (sum float64) {
		for _, x := range group {
			sum += math.Abs(x)
		}
		return sum
	})
}

// ofGroups is the LargestScale for the largest size of a group.
func (g *GroupNorm) ofGroups(u []float64, size func(group []float64) float64) float64 {
	var top float64
	for lo := 0; lo < len(u); lo += g.Size {
		top = math.Max(top, size(u[lo:lo+g.Size]))
	}
	return largestScale(top, g.Lambda, g.Size)
}

// LargestScale is λ over the largest partial sum, as long as whole sums are 0 but for rounding.
func (g *TotalVariation) LargestScale(u []float64) float64 {
	least := math.Inf(1)
	for lo := 0; lo < len(u); lo += g.Size {
		var sum, top float64
		for _, x := range u[lo : lo+g.Size] {
			sum += x
			top = math.Max(top, math.Abs(sum))
		}
		least = math.Min(least, largestScale(top, g.Lambda, g.Size))
		if sum != 0 {
			least = math.Min(least, g.Lambda*float64(g.Size)*0x1p-52/math.Abs(sum))
		}
	}
	return least
}

// largestScale is the largest s for which indicator(s·size, λ, n) is 0.
func largestScale(size, lambda float64, n int) float64 {
	if size == 0 {
		return math.Inf(1)
	}
	return lambda * (1 + domainRounding + float64(n)*0x1p-53) / size
}

// ConjugateAlong is a closed form for norms without weights.
func (l *Smoothed) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	g, ok := l.Loss.(norm)
	if !ok || l.Omega != nil {
		kept := append([]float64(nil), r...)
		return func(s float64) float64 { return l.Conjugate(lo, kept, s) }
	}
	c := l.scale()
	limit, square := c*g.LargestScale(r), l.Mu*kernel.SumSq(r)/c
	return func(s float64) float64 {
		if s > limit {
			return math.Inf(1)
		}
		return s * s * square / 2
	}
}

// ConjugateAlong is that of Smoothed.
func (e *MoreauEnvelope) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	return e.smoothed().ConjugateAlong(lo, r)
}

// ConjugateAlong is ½s²Σ r²/(cω) - sΣ ry.
func (l *Squared) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	c, empty := l.Scale(), false
	var square, along float64
	for i, x := range r {
		w := weight(l.Omega, lo+i)
		if w > 0 {
			square += x * x / (c * w)
			along += x * l.Y[lo+i]
		} else if x != 0 {
			empty = true
		}
	}
	return func(s float64) float64 {
		if empty && s != 0 {
			return math.Inf(1)
		}
		return s*s*square/2 - s*along
	}
}
