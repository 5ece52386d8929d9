package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/roots"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// A Bracket is what is known of κ(W): Lower ≤ κ(W) ≤ Upper, which agree but for rounding, and the η at which ‖D_ηW‖_* is Lower.
type Bracket struct {
	Lower, Upper float64
	Eta          float64
}

// Kappa is κ(W) of a row-major m×n matrix, rounded up: see Bracket. With labels it is +Inf, as nothing is known of κ there.
func (k Views) Kappa(w []float64, m, n int) float64 {
	if k.Labels > 0 {
		return math.Inf(1)
	}
	u, v := factors(w, m, n)
	return k.Bracket(u, v).Upper
}

// factors are W and the identity, on the shorter side.
func factors(w []float64, m, n int) (u, v *gcg.Factor) {
	if n <= m {
		u = gcg.NewFactor(m, n)
		for i := range m {
			copy(u.Row(i), w[i*n:(i+1)*n])
		}
		return u, gcg.Identity(n)
	}
	v = gcg.NewFactor(n, m)
	for i := range m {
		v.SetColumn(i, w[i*n:(i+1)*n], 1)
	}
	return gcg.Identity(m), v
}

// Bracket is the gauge of W = U Vᵀ of two views without labels. It has a closed form,
//
//	κ(W) = max over 0 ≤ η ≤ 1 of ‖D_ηW‖_*,   D_η = diag(√η/β, √(1-η)/γ)
//	     = min over [A; B] Vᵀ = W of ½(max(‖A‖²/β², ‖B‖²/γ²) + ‖V‖²)
//
// The function of η is concave: any η gives Lower. A search that stops early would be below κ. Upper is the second form at the
// factors that D_ηW = P S Qᵀ gives, W Q S^-½ and Q S^½. Factors of both sides of the best η are combined.
func (k Views) Bracket(u, v *gcg.Factor) Bracket {
	b, _ := k.balance(u, v)
	return b
}

// balance is Bracket, and W in the factors that belong to it.
func (k Views) balance(u, v *gcg.Factor) (Bracket, *balanced) {
	if u == nil || u.K == 0 {
		return Bracket{Eta: 0.5}, nil
	}
	views := blocks(k.Sizes, k.Radii)
	d := rotate(u, v, views)
	in := roots.Guard{Lo: -farthest, Hi: farthest}
	var below, above *balanced
	x := 0.0
	best := Bracket{Lower: 0, Upper: math.Inf(1), Eta: 0.5}
	var at *balanced
	for range mostBalances {
		eta, rest := shares(x)
		f := d.at([]float64{eta, rest})
		if f == nil {
			return Bracket{Eta: 0.5}, nil
		}
		f.x = x
		if f.sum > best.Lower {
			best.Lower, best.Eta = f.sum, eta
		}
		if bound := f.bound(); bound < best.Upper {
			best.Upper, at = bound, f
		}
		e := f.excess()
		if e > 0 {
			in.Lo, below = x, f
		} else {
			in.Hi, above = x, f
		}
		if below != nil && above != nil {
			best.Upper = math.Min(best.Upper, combined(below, above))
		}
		if best.Upper <= best.Lower*(1+balancedTo) || in.Hi-in.Lo <= settledAt*(1+math.Abs(x)) {
			break
		}
		x = in.Next(x, f.ahead(below, above))
	}
	best.Upper = math.Max(best.Upper, best.Lower)
	return best, at
}

const (
	mostBalances = 200              // values of η; ten are common
	balancedTo   = rounding.Product // part of κ that the bracket may be wide
)
