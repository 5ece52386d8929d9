package gauge

import (
	"context"
	"math"

	"github.com/seed-b18ef778/gcg"
)

// PositiveL1 is the sum of the entries over the non-negative orthant, κ(W) = Σ W_ij for W ≥ 0 and +Inf elsewhere.
//
//	atoms  e_ij
//	polar  κ°(G) = max(0, max G_ij)
//
// Where no entry of G is positive, W = 0 attains the supremum 0, and is no atom. Polar returns the best atom then, with the value
// that it attains, which is not positive, and the bound 0.
type PositiveL1 struct{}

// Name is positive-l1.
func (PositiveL1) Name() string { return "positive-l1" }

// Polar scans the entries once, or those that bounds leave. It refuses a gradient with an entry that is not finite.
func (PositiveL1) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	p, err := Simplex{}.Polar(ctx, g, ask)
	p.Bound = math.Max(p.Bound, 0)
	return p, err
}

// Of is Σ W_ij, or +Inf where an entry is negative.
func (PositiveL1) Of(w []float64, m, n int) float64 {
	var s float64
	for _, x := range w[:m*n] {
		if x < 0 {
			return math.Inf(1)
		}
		s += x
	}
	return s
}

// ProxTo writes max(W_ij - t, 0) into dst, which may be w, and returns κ(dst).
func (k PositiveL1) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	for e, x := range w[:m*n] {
		dst[e] = math.Max(x-t, 0)
	}
	return k.Of(dst, m, n)
}

// Simplex has the atoms and the value of PositiveL1, for penalties that hold κ at a constant (Equal). W = 0 is excluded then,
// so that the polar is the maximum over atoms alone and may be negative.
//
//	atoms  e_ij
//	polar  κ°(G) = max G_ij
type Simplex struct{}

// Name is simplex.
func (Simplex) Name() string { return "simplex" }

// Polar scans the entries once, or those that bounds leave. It refuses a gradient with an entry that is not finite.
func (Simplex) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	_, n := g.Dims()
	best := newLeaders(ask)
	err := forContenders(ctx, g, ask, func(first int, entries []float64) {
		for e, x := range entries {
			best.offer(first+e, x)
		}
	}, func(dst []float64, _ int, y, d []float64) {
		for e, x := range y {
			dst[e] = x + d[e]
		}
	})
	if err != nil {
		return gcg.Polar{}, err
	}
	places, values := best.ranked()
	p := proven(singles(places, n, func(int) float64 { return 1 }), values, 0)
	p.Bound = p.Value // of either sign
	return p, nil
}

// Of is Σ W_ij, or +Inf where an entry is negative.
func (Simplex) Of(w []float64, m, n int) float64 { return PositiveL1{}.Of(w, m, n) }

// ProxTo writes max(W_ij - t, 0) into dst, which may be w, and returns κ(dst). This is the proximity operator of the gauge; the
// projection on {κ = ζ} is another one.
func (Simplex) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	return PositiveL1{}.ProxTo(dst, w, m, n, t)
}

// Split is W ≥ 0 as one atom for each entry that is not 0.
func (Simplex) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	return Lp{P: 1}.Split(w, m, n)
}
