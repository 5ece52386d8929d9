package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// L1 is the weighted ℓ1 norm of the entries, κ(W) = Σ w_ij|W_ij|.
//
//	atoms  ±e_ij / w_ij
//	polar  κ°(G) = max |G_ij| / w_ij, at the sign of that entry
//
// Both signs of an entry share a key. The bound is exact: nothing is summed. Source: Tibshirani 1996; Zou 2006 for the weights.
type L1 struct {
	// Weights has one positive weight for each entry, row-major; nil means 1.
	Weights []float64
}

// Name is l1.
func (L1) Name() string { return "l1" }

// FactorNorms are 1 and 1, where entries have no weights: κ is that of Factor.
func (k L1) FactorNorms() (left, right float64, ok bool) { return 1, 1, k.Weights == nil }

// Polar scans the entries once, or those that bounds leave. It refuses weights that are not positive and finite, and a gradient
// with an entry that is not finite.
func (k L1) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if err := checkWeights("l1", k.Weights, m*n, "entry"); err != nil {
		return gcg.Polar{}, err
	}
	best := newLeaders(ask) // a candidate is twice its entry, plus one where the entry is negative
	err := forContenders(ctx, g, ask, func(first int, entries []float64) {
		for e, x := range entries {
			e += first
			best.offer(2*e+int(math.Float64bits(x)>>63), math.Abs(x)/k.weight(e))
		}
	}, func(dst []float64, first int, y, d []float64) {
		for e, x := range y {
			dst[e] = math.Abs(x) + d[e]
		}
		if k.Weights != nil {
			for e := range dst {
				dst[e] /= k.Weights[first+e]
			}
		}
	})
	if err != nil {
		return gcg.Polar{}, err
	}
	places, values := best.ranked()
	signs := make([]float64, len(places))
	for c, signed := range places {
		places[c], signs[c] = signed/2, float64(1-2*(signed%2))
	}
	atoms := singles(places, n, func(c int) float64 { return signs[c] / k.weight(places[c]) })
	return proven(atoms, values, 0), nil
}

// weight is w of entry e = i·n + j.
func (k L1) weight(e int) float64 {
	if k.Weights == nil {
		return 1
	}
	return k.Weights[e]
}

// Of is Σ w_ij|W_ij|.
func (k L1) Of(w []float64, m, n int) float64 {
	var s float64
	for e, x := range w[:m*n] {
		s += k.weight(e) * math.Abs(x)
	}
	return s
}

// ProxTo is soft thresholding, sign(W_ij)·max(|W_ij| - t·w_ij, 0). It returns κ(dst).
func (k L1) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	for e, x := range w[:m*n] {
		dst[e] = linalg.Soft(x, t*k.weight(e))
	}
	return k.Of(dst, m, n)
}

// checkWeights refuses weights of another number than want, and weights of 0, whose atoms would be unbounded, negative or not
// finite. gauge names the gauge, and what the thing that is weighed.
func checkWeights(gauge string, weights []float64, want int, what string) error {
	if weights == nil {
		return nil
	}
	if len(weights) != want {
		return fmt.Errorf("gauge: %s needs one weight for each %s: there are %d weights, and %d needed", gauge, what, len(weights),
			want)
	}
	for i, w := range weights {
		switch {
		case w == 0:
			return fmt.Errorf("gauge: %s: "+
				"the weight of %s %d is 0, which leaves it unpenalised and the polar infinite; give it a small positive weight",
				gauge, what, i)
		case !(w > 0) || math.IsInf(w, 1):
			return fmt.Errorf("gauge: %s: the weight of %s %d is %v; weights are positive and finite", gauge, what, i, w)
		}
	}
	return nil
}
