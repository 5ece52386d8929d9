package sliding

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// averaged is [Cheung15 Algorithm 4] as printed: u ← (1-α)u + θa, α = 2/(t+2), θ the best for (1-α)h(ρ) + αh(θ/α) in place of
// h. It returns the mean of u₁ … u_m with weights that grow like t [Cheung15 eq 37, with the indices of the listing].
func (x *Method) averaged(ctx context.Context, in *innerProblem) error {
	steps := x.Steps
	if steps == 0 {
		steps = refinedSteps
	}
	mean := &gcg.Iterate{M: in.s.W.M, N: in.s.W.N}
	var rho float64
	for t := range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			break
		}
		alpha := 2 / float64(t+2)
		q := in.productsWith(a, value)
		in.move(a, 1-alpha, bestWeight(in.p.Penalty, alpha, q.at-(1-alpha)*q.ua, q.aa))
		if rho = (1-alpha)*rho + alpha*in.s.Rho; alpha == 1 {
			mean = in.s.W.Clone()
			continue
		}
		mean.Scale(1 - alpha)
		part := in.s.W.Clone()
		part.Scale(alpha)
		join(mean, part)
	}
	in.s.W, in.s.Rho = mean, rho
	return nil
}

// bestWeight is the θ ≥ 0 that minimises ½aa θ² - b θ + αh(θ/α) [Cheung15 eq 35].
func bestWeight(h gcg.Penalty, alpha, b, aa float64) float64 {
	slope := func(theta float64) float64 { return aa*theta - b + h.Deriv(theta/alpha) }
	hi := math.Min(math.Max(b/aa, 0), alpha*h.Max())
	if lo := alpha * h.Max(); math.IsInf(h.Value(0), 1) { // κ is held at ζ
		return lo
	}
	if !(slope(0) < 0) {
		return 0
	}
	lo := 0.0
	for range halvings {
		if mid := (lo + hi) / 2; slope(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}

// halvings of an interval until it is a point.
const halvings = 200

// printed is [Cheung15 Algorithm 2] as printed, until the gap G(u, v) = h(κ(u)) - ⟨u, T-u⟩ + h*(κ°(T-u)) is η, with ρ for κ(u):
// v is the best multiple of an atom, and u ← (1-α)u + αv. κ(v) is at most limit, which bounds κ(W*).
func (x *Method) printed(ctx context.Context, in *innerProblem, limit float64) error {
	steps, goal := x.Steps, in.eta
	if steps == 0 {
		steps = gapSteps
	}
	for range steps {
		polar, err := in.polar(ctx, x.polarTol())
		if err != nil {
			return err
		}
		a, value := atomOf(polar)
		if a == nil {
			return nil
		}
		q := in.productsWith(a, value)
		bound := polar.UpperBound()
		if math.IsInf(bound, 1) {
			bound = value
		}
		conj, _ := in.p.Penalty.Conj(bound, limit)
		_, size := in.p.Penalty.Conj(value, limit)
		gap := in.beta * (in.p.Penalty.Value(in.s.Rho) - (q.ut - q.uu) + conj)
		if goal == 0 {
			goal = firstPart * gap
		}
		if gap <= goal {
			return nil
		}
		alpha := in.lineSearch(q, size)
		if alpha == 0 {
			return nil
		}
		in.move(a, 1-alpha, alpha*size)
	}
	return nil
}

// lineSearch is the α in [0, 1] that minimises ½‖(1-α)u + αv - T‖² + h((1-α)ρ + αx) for v = x·a [Cheung15 eq 22].
func (in *innerProblem) lineSearch(q products, x float64) float64 {
	h, rho := in.p.Penalty, in.s.Rho
	vv, uv, vt := x*x*q.aa, x*q.ua, x*q.at
	square, linear := q.uu-2*uv+vv, (q.ut-q.uu)-(vt-uv) // of α, at 0
	slope := func(alpha float64) float64 {
		s := alpha*square + linear
		if x != rho {
			s += h.Deriv(math.Min((1-alpha)*rho+alpha*x, h.Max())) * (x - rho)
		}
		return s
	}
	if !(slope(0) < 0) {
		return 0
	}
	if slope(1) <= 0 {
		return 1
	}
	lo, hi := 0.0, 1.0
	for range halvings {
		if mid := (lo + hi) / 2; slope(mid) < 0 {
			lo = mid
		} else {
			hi = mid
		}
	}
	return hi
}
