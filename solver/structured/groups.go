package structured

import (
	"errors"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/view"
)

// Groups is g = Σ w_g‖x_g‖₂ over groups of entries, which may overlap; entries of no group have no part in it. B x has the
// entries of the groups, one group after the other.
type Groups struct {
	P      int
	Member [][]int32 // the entries of each group
	Weight []float64 // w_g ≥ 0
}

// Name is groups.
func (g *Groups) Name() string { return "groups" }

// Check refuses members outside of x, and weights that are not finite or negative.
func (g *Groups) Check() error {
	if len(g.Member) != len(g.Weight) {
		return fmt.Errorf("structured: %d groups have %d weights", len(g.Member), len(g.Weight))
	}
	for k, members := range g.Member {
		if w := g.Weight[k]; !(w >= 0) || math.IsInf(w, 1) {
			return fmt.Errorf("structured: the weight of group %d is %v; it is a finite number, 0 or more", k+1, w)
		}
		for _, i := range members {
			if i < 0 || int(i) >= g.P {
				return fmt.Errorf("structured: group %d has entry %d of %d", k+1, i+1, g.P)
			}
		}
	}
	return nil
}

// Size is p, and the number of members of all groups.
func (g *Groups) Size() (p, n int) {
	for _, members := range g.Member {
		n += len(members)
	}
	return g.P, n
}

// each calls do for each group with the range of its members in B x.
func (g *Groups) each(do func(k, from, to int, members []int32)) {
	at := 0
	for k, members := range g.Member {
		do(k, at, at+len(members), members)
		at += len(members)
	}
}

// BTo lists the members.
func (g *Groups) BTo(z, x []float64) {
	g.each(func(_, from, _ int, members []int32) {
		for t, i := range members {
			z[from+t] = x[i]
		}
	})
}

// BTTo adds up what belongs to each entry.
func (g *Groups) BTTo(x, u []float64) {
	clear(x)
	g.each(func(_, from, _ int, members []int32) {
		for t, i := range members {
			x[i] += u[from+t]
		}
	})
}

// Value is Σ w_g‖z_g‖₂.
func (g *Groups) Value(z []float64) (sum float64) {
	g.each(func(k, from, to int, _ []int32) { sum += g.Weight[k] * norm(z[from:to]) })
	return sum
}

// Polar is the largest ‖u_g‖₂/w_g.
func (g *Groups) Polar(u []float64) (top float64) {
	g.each(func(k, from, to int, _ []int32) {
		if size := norm(u[from:to]); size > 0 {
			top = math.Max(top, size/g.Weight[k])
		}
	})
	return top
}

// ProjectTo shortens u_g to w_g.
func (g *Groups) ProjectTo(u []float64) {
	g.each(func(k, from, to int, _ []int32) {
		if size := norm(u[from:to]); size > g.Weight[k] {
			kernel.Scale(g.Weight[k]/size, u[from:to])
		}
	})
}

// SlopeTo is e_g where ‖v_g‖ is below w_g, and else w_g/‖v_g‖ times the part of e_g that is orthogonal to v_g.
func (g *Groups) SlopeTo(dst, v, e []float64) {
	g.each(func(k, from, to int, _ []int32) {
		own, size := v[from:to], norm(v[from:to])
		copy(dst[from:to], e[from:to])
		if size >= g.Weight[k] && size > 0 {
			kernel.Axpy(-kernel.Dot(own, dst[from:to])/(size*size), own, dst[from:to])
			kernel.Scale(g.Weight[k]/size, dst[from:to])
		}
	})
}

// Radius is the root of Σ w_g².
func (g *Groups) Radius() float64 { return norm(g.Weight) }

// Scaled has c times the weights.
func (g *Groups) Scaled(c float64) Penalty {
	by := &Groups{P: g.P, Member: g.Member, Weight: make([]float64, len(g.Weight))}
	for k, w := range g.Weight {
		by.Weight[k] = c * w
	}
	return by
}

// Norm2 is the largest number of groups of one entry.
func (g *Groups) Norm2() float64 {
	count, top := make([]int, g.P), 0
	for _, members := range g.Member {
		for _, i := range members {
			count[i]++
			top = max(top, count[i])
		}
	}
	return float64(max(top, 1))
}

// ready says that no entry is in two groups.
func (g *Groups) ready() bool { return g.Norm2() == 1 }

// norm is ‖x‖₂.
func norm(x []float64) float64 { return math.Sqrt(kernel.SumSq(x)) }

// proxTo shrinks groups after soft thresholds: for h = λ‖x‖₁ at tλ, for the ball at the θ that makes ‖x‖₁ = τ.
func (g *Groups) proxTo(dst, v []float64, t float64, h *shrinkage) {
	if !h.ball {
		g.shrunkTo(dst, v, t, t*h.lambda)
		return
	}
	if linalg.SumAbs(v) <= h.radius || g.shrunkTo(dst, v, t, 0) <= h.radius {
		g.shrunkTo(dst, v, t, 0)
		return
	}
	lo, hi := 0.0, linalg.BallThreshold(v, h.radius) // at hi the soft thresholds alone are enough
	if next := h.theta; next > lo && next < hi {
		if g.shrunkTo(dst, v, t, next) > h.radius {
			lo = next
		} else {
			hi = next
		}
	}
	h.theta = g.level(dst, v, t, h.radius, lo, hi)
	if size := g.shrunkTo(dst, v, t, h.theta); size > h.radius {
		kernel.Scale(h.radius/size, dst)
	}
}

// level is the θ between lo and hi with ‖x(θ)‖₁ = radius, to rounding, for which dst is x.
func (g *Groups) level(dst, v []float64, t, radius, lo, hi float64) float64 {
	excess := func(theta float64) float64 { return g.shrunkTo(dst, v, t, theta) - radius }
	from, to := roots.TrialMultiplier{Mu: lo, Excess: excess(lo)}, roots.TrialMultiplier{Mu: hi, Excess: excess(hi)}
	return roots.Root(excess, from, to, 0)
}

// shrunkTo writes the group shrinkage, by t·w_g, of soft(v, θ), and returns its ℓ1 norm. Entries of no group are soft(v, θ).
func (g *Groups) shrunkTo(dst, v []float64, t, theta float64) (size float64) {
	for i, x := range v {
		dst[i] = linalg.Soft(x, theta)
	}
	for k, members := range g.Member {
		var square float64
		for _, i := range members {
			square += dst[i] * dst[i]
		}
		by := 0.0
		if root := math.Sqrt(square); root > t*g.Weight[k] {
			by = 1 - t*g.Weight[k]/root
		}
		for _, i := range members {
			dst[i] *= by
		}
	}
	return linalg.SumAbs(dst)
}

// dualTo has u_g = -soft(q_g, θ) for the least θ with ‖soft(q_g, θ)‖₂ ≤ w_g for all groups, and of no less than |q_i| of an
// entry of no group, for which u can do nothing.
func (g *Groups) dualTo(u, q []float64, bound float64) (theta float64) {
	grouped := make([]bool, g.P)
	theta = bound * (1 - boundRounding)
	for k, members := range g.Member {
		var lo, hi float64
		for _, i := range members {
			grouped[i] = true
			hi = math.Max(hi, math.Abs(q[i]))
		}
		if lo = theta; hi <= lo || g.softNorm(members, q, lo) <= g.Weight[k] {
			continue
		}
		_, theta = roots.Bisect(lo, hi, 0, func(theta float64) bool { return g.softNorm(members, q, theta) > g.Weight[k] })
	}
	for i, x := range q {
		if !grouped[i] {
			theta = math.Max(theta, math.Abs(x))
		}
	}
	g.each(func(_, from, _ int, members []int32) {
		for t, i := range members {
			u[from+t] = -linalg.Soft(q[i], theta)
		}
	})
	g.ProjectTo(u)
	return theta
}

// value is g(B x).
func (g *Groups) value(x []float64) (sum float64) {
	for k, members := range g.Member {
		var square float64
		for _, i := range members {
			square += x[i] * x[i]
		}
		sum += g.Weight[k] * math.Sqrt(square)
	}
	return sum
}

// size is ‖x‖₁.
func (g *Groups) size(x []float64) float64 { return linalg.SumAbs(x) }

// softNorm is ‖soft(q_g, θ)‖₂.
func (g *Groups) softNorm(members []int32, q []float64, theta float64) float64 {
	var square float64
	for _, i := range members {
		x := linalg.Soft(q[i], theta)
		square += x * x
	}
	return math.Sqrt(square)
}

// A shrinkage is h(‖x‖₁): λ‖x‖₁, or the ball ‖x‖₁ ≤ τ.
type shrinkage struct {
	lambda, radius float64
	ball           bool
	theta          float64 // the last multiplier of the ball, where the next search begins
}

// shrinkageOf is that of a penalty; an error is for others.
func shrinkageOf(h gcg.Penalty) (*shrinkage, error) {
	switch {
	case view.IsLinear(h):
		return &shrinkage{lambda: h.Deriv(1)}, nil
	case !math.IsInf(h.Max(), 1) && h.Value(0) == 0 && h.Value(h.Max()) == 0:
		return &shrinkage{radius: h.Max(), ball: true}, nil
	}
	return nil, errors.New("structured: needs a penalty λ‖x‖₁ or a bound ‖x‖₁ ≤ τ")
}

// shrinkTo writes the proximity operator of t·h at v.
func (h *shrinkage) shrinkTo(dst, v []float64, t float64) {
	theta := t * h.lambda
	if h.ball {
		theta = linalg.BallThreshold(v, h.radius)
	}
	for i, x := range v {
		dst[i] = linalg.Soft(x, theta)
	}
}

// excess is h(‖x‖₁) and h* at -θ: τθ, or ‖x‖₁ times the larger of λ and θ.
func (h *shrinkage) excess(theta, size float64) float64 {
	return h.reach(size) * math.Max(theta, h.lambda)
}

// reach is τ, or ‖x‖₁: what θ is multiplied by in the gap.
func (h *shrinkage) reach(size float64) float64 {
	if h.ball {
		return h.radius
	}
	return size
}

// known is a gap at an x of that ‖x‖₁. With λ‖x‖₁ it is 0 at x = 0 whatever is missing, and counts as infinite there: steps that
// are to leave a part of it would else go on until nothing moves any more.
func (h *shrinkage) known(gap, size float64) float64 {
	if h.reach(size) == 0 {
		return math.Inf(1)
	}
	return gap
}
