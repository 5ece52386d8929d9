package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// L1Norm is the penalty g(z) = λ‖z‖₁ on N predictions, for a MoreauEnvelope: g*(u) = 0 where |uᵢ| ≤ λ.
type L1Norm struct {
	N      int
	Lambda float64 // ≥ 0
}

func (g *L1Norm) Len() int        { return g.N }
func (g *L1Norm) Stride() int     { return 1 }
func (g *L1Norm) Radius() float64 { return g.Lambda }

// Check refuses sizes and weights that make no penalty.
func (g *L1Norm) Check() error { return checkNorm(g.N, 1, g.Lambda) }

// SmoothTo has u = z/μ, clipped to [-λ, λ].
func (g *L1Norm) SmoothTo(value, u []float64, _ int, z []float64, mu float64) {
	for i, x := range z {
		t := clip(x, mu, -g.Lambda, g.Lambda)
		u[i], value[i] = t, t*(x-mu*t/2)
	}
}

func (g *L1Norm) SlopeTo(dst []float64, _ int, z, e []float64, mu float64) {
	for i, x := range z {
		f := 0.0
		if math.Abs(x) < g.Lambda*mu {
			f = 1 / mu
		}
		dst[i] = f * e[i]
	}
}

func (g *L1Norm) ConjugateTo(value []float64, _ int, u []float64) {
	for i, x := range u {
		value[i] = indicator(math.Abs(x), g.Lambda, 1)
	}
}

// GroupNorm is the penalty g(z) = λ Σ ‖z_g‖₂ over groups of Size predictions that follow each other, for a MoreauEnvelope:
// g*(u) = 0 where ‖u_g‖₂ ≤ λ. With an identity and Size = n the groups are the rows of W.
type GroupNorm struct {
	N, Size int     // Size divides N
	Lambda  float64 // ≥ 0
}

func (g *GroupNorm) Len() int        { return g.N }
func (g *GroupNorm) Stride() int     { return g.Size }
func (g *GroupNorm) Radius() float64 { return g.Lambda }

// Check refuses sizes and weights that make no penalty.
func (g *GroupNorm) Check() error { return checkNorm(g.N, g.Size, g.Lambda) }

// SmoothTo has u = z/μ, shortened to λ.
func (g *GroupNorm) SmoothTo(value, u []float64, _ int, z []float64, mu float64) {
	for t := range value {
		group := z[t*g.Size : (t+1)*g.Size]
		norm := gcg.Norm(group)
		length := clip(norm, mu, 0, g.Lambda)
		value[t] = length * (norm - mu*length/2)
		for i, x := range group {
			if norm > 0 {
				x *= length / norm
			}
			u[t*g.Size+i] = x
		}
	}
}

// SlopeTo is e/μ where z_g is short; else λ/‖z‖ times the part of e that is orthogonal to z.
func (g *GroupNorm) SlopeTo(dst []float64, _ int, z, e []float64, mu float64) {
	for lo := 0; lo < len(z); lo += g.Size {
		group, along := z[lo:lo+g.Size], e[lo:lo+g.Size]
		norm := gcg.Norm(group)
		factor, back := 1/mu, 0.0
		if norm >= g.Lambda*mu {
			factor, back = 0, 0
			if norm > 0 {
				factor = g.Lambda / norm
				back = kernel.Dot(group, along) / norm / norm
			}
		}
		for i, x := range group {
			dst[lo+i] = factor * (along[i] - back*x)
		}
	}
}

func (g *GroupNorm) ConjugateTo(value []float64, _ int, u []float64) {
	for t := range value {
		value[t] = indicator(gcg.Norm(u[t*g.Size:(t+1)*g.Size]), g.Lambda, g.Size)
	}
}

// MaxNorm is the penalty g(z) = λ Σ ‖z_g‖_∞ over groups of Size predictions that follow each other, for a MoreauEnvelope: g*(u) =
// 0 where ‖u_g‖₁ ≤ λ.
type MaxNorm struct {
	N, Size int     // Size divides N
	Lambda  float64 // ≥ 0
}

func (g *MaxNorm) Len() int        { return g.N }
func (g *MaxNorm) Stride() int     { return g.Size }
func (g *MaxNorm) Radius() float64 { return g.Lambda }

// Check refuses sizes and weights that make no penalty.
func (g *MaxNorm) Check() error { return checkNorm(g.N, g.Size, g.Lambda) }

// SmoothTo has u, the projection of z/μ on the ℓ1 ball of radius λ: soft(z, τ)/μ, where the sizes of soft(z, τ) sum to λμ. For
// μ = 0 it is ±λ at the largest entry.
func (g *MaxNorm) SmoothTo(value, u []float64, _ int, z []float64, mu float64) {
	for t := range value {
		group, at := z[t*g.Size:(t+1)*g.Size], u[t*g.Size:(t+1)*g.Size]
		if mu == 0 {
			value[t] = g.atLargest(at, group)
			continue
		}
		tau := linalg.BallThreshold(group, g.Lambda*mu)
		var sum, inner, square float64
		for i, x := range group {
			v := linalg.Soft(x, tau) / mu
			at[i], sum, inner, square = v, sum+math.Abs(v), inner+v*x, square+v*v
		}
		by := 1.0
		if tau > 0 { // digits have cancelled in x-τ where μ is small: back onto the sphere
			by = g.Lambda / sum
			kernel.Scale(by, at)
		}
		value[t] = by * (inner - mu*by*square/2)
	}
}

// atLargest writes u for μ = 0 and returns λ‖z‖_∞.
func (g *MaxNorm) atLargest(u, z []float64) float64 {
	top := 0
	for i, x := range z {
		if math.Abs(x) > math.Abs(z[top]) {
			top = i
		}
	}
	x := z[top]
	clear(u)
	if x != 0 {
		u[top] = math.Copysign(g.Lambda, x)
	}
	return g.Lambda * math.Abs(x)
}

// SlopeTo is e/μ on the entries above τ, less its mean along their signs where the ball is reached.
func (g *MaxNorm) SlopeTo(dst []float64, _ int, z, e []float64, mu float64) {
	for lo := 0; lo < len(z); lo += g.Size {
		group := z[lo : lo+g.Size]
		tau := linalg.BallThreshold(group, g.Lambda*mu)
		var mean, count float64
		for i, x := range group {
			if tau > 0 && math.Abs(x) > tau {
				mean += math.Copysign(1, x) * e[lo+i]
				count++
			}
		}
		mean /= math.Max(count, 1)
		for i, x := range group {
			switch {
			case mu == 0 || tau > 0 && math.Abs(x) <= tau:
				dst[lo+i] = 0
			default:
				dst[lo+i] = (e[lo+i] - math.Copysign(1, x)*mean) / mu
			}
		}
	}
}

func (g *MaxNorm) ConjugateTo(value []float64, _ int, u []float64) {
	for t := range value {
		var sum float64
		for _, x := range u[t*g.Size : (t+1)*g.Size] {
			sum += math.Abs(x)
		}
		value[t] = indicator(sum, g.Lambda, g.Size)
	}
}

// indicator is 0 where size ≤ λ but for the rounding of a sum of n terms, and +Inf elsewhere.
func indicator(size, lambda float64, n int) float64 {
	if size <= lambda*(1+domainRounding+float64(n)*0x1p-53) {
		return 0
	}
	return math.Inf(1)
}

// checkNorm refuses sizes and weights that make no penalty.
func checkNorm(n, size int, lambda float64) error {
	switch {
	case n < 1 || size < 1 || n%size != 0:
		return fmt.Errorf("loss: %d predictions do not make groups of %d", n, size)
	case !(lambda >= 0) || math.IsInf(lambda, 1):
		return fmt.Errorf("loss: the weight Lambda of a penalty is %v; it must be a finite number, 0 or more", lambda)
	}
	return nil
}

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
