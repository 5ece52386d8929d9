package linalg

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/memory"
)

// Soft is sign(x)·max(|x|-τ, 0), for τ ≥ 0; NaN for x = NaN.
func Soft(x, tau float64) float64 {
	if math.Abs(x) <= tau {
		return 0
	}
	return x - math.Copysign(tau, x)
}

// BallThreshold is the τ ≥ 0 with Σ max(|vᵢ|-τ, 0) = r, or 0 where ‖v‖₁ ≤ r: soft thresholds at τ project v on the ball ‖·‖₁ ≤ r.
func BallThreshold(v []float64, r float64) float64 { return threshold(v, r, 0) }

// threshold is the τ ≥ 0 with Σ max(|vᵢ|-τ, 0) = r + aτ, or 0 where ‖v‖₁ ≤ r. Only what is above (‖v‖_∞ - r)/(1+a), which τ is
// not below, is sorted.
func threshold(v []float64, r, a float64) float64 {
	if SumAbs(v) <= r {
		return 0
	}
	room := memory.Borrow[float64](len(v))
	defer memory.Repay(room)
	least, sizes := (MaxAbs(v)-r)/(1+a), room[:0]
	for _, x := range v {
		if x = math.Abs(x); x > least {
			sizes = append(sizes, x)
		}
	}
	slices.Sort(sizes)
	above, tau := 0.0, least // the sum of the largest, and the τ at which they alone are left
	for i := len(sizes) - 1; i >= 0; i-- {
		above += sizes[i]
		next := (above - r) / (float64(len(sizes)-i) + a)
		if sizes[i] <= next {
			break
		}
		tau = next
	}
	return math.Max(tau, 0)
}
