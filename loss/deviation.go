package loss

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Deviation is λ Σ |zᵢ-yᵢ|, the ℓ1 norm of what z leaves of y. It is not smooth: it is for methods that take proximity operators.
// L*(p) = Σ pᵢyᵢ where |pᵢ| ≤ λ. For gradients there is Huber, or an Absolute that is smoothed.
type Deviation struct {
	Y      []float64
	Lambda float64 // > 0
}

// Len is the number of observations.
func (l *Deviation) Len() int { return len(l.Y) }

// Stride is 1.
func (l *Deviation) Stride() int { return 1 }

// Infimum is 0.
func (l *Deviation) Infimum() float64 { return 0 }

// Check names the first target that is not finite, and a weight that is not positive.
func (l *Deviation) Check() error {
	if !(l.Lambda > 0) || math.IsInf(l.Lambda, 1) {
		return fmt.Errorf("loss: the weight Lambda of the deviation is %v; it must be a positive finite number", l.Lambda)
	}
	return checkTargets(l.Y)
}

// Eval writes the shortest of the subgradients, which is 0 at yᵢ.
func (l *Deviation) Eval(lo int, z, r []float64) (sum float64) {
	y := l.Y[lo:][:len(z)]
	sum = kernel.Apart(z, y)
	if r != nil {
		for i, x := range z {
			r[i] = -l.Lambda * sign(x-y[i])
		}
	}
	return l.Lambda * sum
}

// Conjugate is -s Σ rᵢyᵢ where s|rᵢ| ≤ λ.
func (l *Deviation) Conjugate(lo int, r []float64, s float64) float64 {
	return l.ConjugateAlong(lo, r)(s)
}

// ConjugateAlong is linear, up to λ/max|rᵢ|.
func (l *Deviation) ConjugateAlong(lo int, r []float64) func(s float64) float64 {
	limit := largestScale(linalg.MaxAbs(r), l.Lambda, 1)
	sum := kernel.Dot(r, l.Y[lo:])
	return func(s float64) float64 {
		if s > limit {
			return math.Inf(1)
		}
		return -s * sum
	}
}

// ProxTo writes argmin over z of λ|zᵢ-yᵢ| + ½ρ(zᵢ-vᵢ)² for the observations from lo on: a step towards y of at most λ/ρ. z may be
// v.
func (l *Deviation) ProxTo(z, v []float64, lo int, rho float64) {
	const chunk = 2048 // of which three vectors stay in a first- or second-level cache
	room := memory.Borrow[float64](min(len(v), chunk))
	defer memory.Repay(room)
	for from := 0; from < len(v); from += chunk {
		to := min(from+chunk, len(v))
		y, z, cut := l.Y[lo+from:lo+to], z[from:to], room[:to-from]
		copy(cut, v[from:to])
		kernel.Axpy(-1, y, cut)
		copy(z, cut)
		kernel.Clamp(l.Lambda/rho, cut)
		kernel.Axpy(-1, cut, z)
		kernel.Axpy(1, y, z)
	}
}
