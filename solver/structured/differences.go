package structured

import (
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/loss"
)

// Differences is g = w‖Dᵏx‖₁ with the differences of order k of neighbouring entries: the total variation for k = 1, and for
// k = 2 that of slopes, whose solutions are straight in pieces [Kim, Koh, Boyd and Gorinevsky 2009].
type Differences struct {
	P, Order int // 1 ≤ Order < P
	Weight   float64
}

// Name is fused, or trend.
func (g *Differences) Name() string {
	if g.Order == 1 {
		return "fused"
	}
	return fmt.Sprintf("trend of order %d", g.Order-1)
}

// maxOrder is the largest order: entries of Dᵏ grow as 2ᵏ, and what depends on them loses digits.
const maxOrder = 5

// Check refuses orders and weights that make no penalty.
func (g *Differences) Check() error {
	switch {
	case g.Order < 1 || g.Order > maxOrder:
		return fmt.Errorf("structured: differences have an order from 1 to %d, not %d", maxOrder, g.Order)
	case g.P <= g.Order:
		return fmt.Errorf("structured: %d features have no differences of order %d", g.P, g.Order)
	case !(g.Weight >= 0) || math.IsInf(g.Weight, 1):
		return fmt.Errorf("structured: the weight of the differences is %v; it is a finite number, 0 or more", g.Weight)
	}
	return nil
}

// Size is p, and p - k.
func (g *Differences) Size() (p, n int) { return g.P, g.P - g.Order }

// BTo takes differences k times.
func (g *Differences) BTo(z, x []float64) {
	d := append([]float64(nil), x...)
	for k := range g.Order {
		for i := range len(x) - k - 1 {
			d[i] = d[i+1] - d[i]
		}
	}
	copy(z, d)
}

// BTTo is the transpose: (Dᵀu)ᵢ = uᵢ₋₁ - uᵢ, k times.
func (g *Differences) BTTo(x, u []float64) {
	n := copy(x, u)
	for range g.Order {
		x[n] = 0
		before := 0.0
		for i := range n + 1 {
			before, x[i] = x[i], before-x[i]
		}
		n++
	}
}

// Value is w‖z‖₁.
func (g *Differences) Value(z []float64) float64 { return g.Weight * linalg.SumAbs(z) }

// Polar is ‖u‖_∞/w.
func (g *Differences) Polar(u []float64) float64 {
	if top := linalg.MaxAbs(u); top > 0 {
		return top / g.Weight
	}
	return 0
}

// ProjectTo clips u to [-w, w].
func (g *Differences) ProjectTo(u []float64) {
	for i, x := range u {
		u[i] = math.Max(-g.Weight, math.Min(g.Weight, x))
	}
}

// Scaled has c times the weight.
func (g *Differences) Scaled(c float64) Penalty {
	return &Differences{P: g.P, Order: g.Order, Weight: c * g.Weight}
}

// Norm2 is 4ᵏ.
func (g *Differences) Norm2() float64 { return math.Pow(4, float64(g.Order)) }

// ready is for the total variation.
func (g *Differences) ready() bool { return g.Order == 1 }

// proxTo is the taut string, and then the soft thresholds of the ℓ1 norm or of the projection on its ball: these keep the order
// of neighbours, so that the subgradients of the total variation are still some [Friedman, Hastie, Höfling and Tibshirani 2007].
func (g *Differences) proxTo(dst, v []float64, t float64, h *shrinkage) {
	if g.Weight == 0 || t == 0 {
		h.shrinkTo(dst, v, t)
		return
	}
	string := loss.TotalVariation{N: g.P, Size: g.P, Lambda: g.Weight}
	value, u := make([]float64, 1), make([]float64, g.P)
	string.SmoothTo(value, u, 0, v, t)
	copy(dst, v)
	kernel.Axpy(-t, u, dst)
	h.shrinkTo(dst, dst, t)
}

// dualTo finds the least θ for which some |u| ≤ w has |qᵢ + uᵢ₋₁ - uᵢ| ≤ θ for all i, u₋₁ = u_{p-1} = 0, by halving: the uᵢ that
// those before allow are an interval. u is then read off backwards.
func (g *Differences) dualTo(u, q []float64) {
	low, high := make([]float64, g.P+1), make([]float64, g.P+1)
	lo, hi := 0.0, linalg.MaxAbs(q)
	for range levelSteps {
		mid := lo + (hi-lo)/2
		if !(lo < mid && mid < hi) || hi-lo <= levelRounding*hi {
			break
		}
		if g.allows(mid, q, low, high) {
			hi = mid
		} else {
			lo = mid
		}
	}
	g.allows(hi, q, low, high)
	next := 0.0 // uᵢ
	for i := g.P - 1; i > 0; i-- {
		from, to := math.Max(low[i], next-q[i]-hi), math.Min(high[i], next-q[i]+hi)
		next = from + (to-from)/2
		u[i-1] = next
	}
	g.ProjectTo(u)
}

// allows writes the interval of each uᵢ₋₁, i ≥ 1, and reports whether the last may be 0.
func (g *Differences) allows(theta float64, q, low, high []float64) bool {
	low[0], high[0] = 0, 0
	for i, x := range q {
		limit := g.Weight
		if i == g.P-1 {
			limit = 0
		}
		low[i+1], high[i+1] = math.Max(low[i]+x-theta, -limit), math.Min(high[i]+x+theta, limit)
		if low[i+1] > high[i+1] {
			return false
		}
	}
	return true
}
