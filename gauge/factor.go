package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Factor is the factor gauge of two norms, κ(W) = min ½ Σ(‖U_:i‖_C² + ‖V_:i‖_R²) over W = U Vᵀ, for C and R in {1, 2, ∞}.
//
//	atoms  u vᵀ, ‖u‖_C ≤ 1, ‖v‖_R ≤ 1
//	polar  κ°(G) = max uᵀGv
//
//	(2,2) σ₁(G)              (2,1) max_j ‖G_:j‖₂      (1,2) max_i ‖G_i:‖₂
//	(1,1) max |G_ij|         (∞,1) max_j ‖G_:j‖₁      (1,∞) max_i ‖G_i:‖₁
//
// These six are other gauges of this package, see Plain. The polars of (∞,2), (2,∞) and (∞,∞) are NP-hard. They are exact, by
// enumeration, where a side with ‖·‖_∞ has at most 16 entries; otherwise they are approximate, with the ratio Alpha that each
// answer proves for itself, see signPolar. Source: [Yu17 Prop 15].
type Factor struct {
	C, R float64 // norms of u (m) and v (n): 1, 2 or infinite; 0 means 2
}

// Name names both norms, and says so where the polar may be approximate.
func (k Factor) Name() string {
	c, r := k.norms()
	name := "factor(" + normName(c) + "," + normName(r) + ")"
	if plain, err := k.plain(); plain == nil && err == nil {
		name += " approximate"
	}
	return name
}

// normName is p in digits, or inf.
func normName(p float64) string {
	if math.IsInf(p, 1) {
		return "inf"
	}
	return number(p)
}

// norms are C and R, with 2 for 0.
func (k Factor) norms() (c, r float64) { return Lp{P: k.C}.p(), Lp{P: k.R}.p() }

// Plain is the gauge in closed form that this one equals, L1, a Group or Trace. Solvers take all that it can do. It is nil
// for the NP-hard pairs, and for norms that are not 1, 2 or infinite.
func (k Factor) Plain() gcg.Gauge {
	if plain, _ := k.plain(); plain != nil {
		return plain
	}
	return nil
}

// plain is Plain, with an error for norms that are not 1, 2 or infinite.
func (k Factor) plain() (Evaluator, error) {
	c, r := k.norms()
	for _, p := range []float64{c, r} {
		if p != 1 && p != 2 && !math.IsInf(p, 1) {
			return nil, fmt.Errorf("gauge: factor norms are 1, 2 or infinite, not %v", p)
		}
	}
	inner := func(p float64) Inner {
		if p == 2 {
			return L2
		}
		return LInf
	}
	switch {
	case c == 1 && r == 1:
		return L1{}, nil
	case c == 1:
		return Group{Inner: inner(r)}, nil
	case r == 1:
		return Group{ByColumns: true, Inner: inner(c)}, nil
	case c == 2 && r == 2:
		return Trace{}, nil
	}
	return nil, nil
}

// FactorNorms are C and R, 1, 2 or infinite; it reports false for others.
func (k Factor) FactorNorms() (left, right float64, ok bool) {
	_, err := k.plain()
	left, right = k.norms()
	return left, right, err == nil
}

// Polar is the polar of Plain, or signPolar for the NP-hard pairs. It refuses norms that are not 1, 2 or infinite.
func (k Factor) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	plain, err := k.plain()
	if err != nil {
		return gcg.Polar{}, err
	}
	if plain != nil {
		return plain.Polar(ctx, g, ask)
	}
	return signPolar(ctx, g, k, ask)
}

// Of is κ(W), or NaN for the NP-hard pairs.
func (k Factor) Of(w []float64, m, n int) float64 {
	if plain, _ := k.plain(); plain != nil {
		return plain.Of(w, m, n)
	}
	return math.NaN()
}

// Compress is the trace norm of the factors for (2,2), which it rewrites. For other pairs it leaves W as it is and returns
// the sum of the weights of its atoms, which is at least κ(W): Σ‖U_:i‖_C‖V_:i‖_R for the factors, and the weights of sparse
// atoms.
func (k Factor) Compress(w *gcg.Iterate) float64 {
	c, r := k.norms()
	if c == 2 && r == 2 {
		return Trace{}.Compress(w)
	}
	rho := w.MergedWeight
	u, v := make([]float64, w.M), make([]float64, w.N)
	for i := w.Merged; i < w.Rank(); i++ {
		w.U.ColumnTo(u, i)
		w.V.ColumnTo(v, i)
		rho += linalg.PNorm(u, c) * linalg.PNorm(v, r)
	}
	for _, t := range w.Terms {
		rho += t.Weight
	}
	return rho
}
