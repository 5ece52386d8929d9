package views

import (
	"math"

	"github.com/seed-b18ef778/gcg"
)

// Compress returns κ(W), rounded up, for two views without labels, and rewrites W as W Q S^-½ and Q S^½ with D_ηW = P S Qᵀ at the
// best η: the factors that attain κ, without null directions.
//
// With labels it leaves W as it is. Each column is a matrix [a; b; u] vᵀ of gauge max(‖a‖/β, ‖b‖/γ, ‖u‖_∞)‖v‖, and their sum
// bounds κ(W).
func (k Views) Compress(w *gcg.Iterate) float64 {
	if w.Rank() == 0 {
		return 0
	}
	if k.Labels > 0 {
		return k.weights(w)
	}
	b, at := k.balance(w.U, w.V)
	if at == nil {
		w.SetFactors(nil, nil)
		return 0
	}
	w.SetFactors(at.factors(w.U, w.V))
	return b.Upper
}

// factors are W Q S^-½ and Q S^½.
func (b *balanced) factors(u, v *gcg.Factor) (*gcg.Factor, *gcg.Factor) {
	right := gcg.Mul(b.basis, gcg.Padded(b.q))
	core := gcg.TMul(v, right) // Vᵀ Q
	left := gcg.Mul(u, core)
	down, up := make([]float64, left.Stride), make([]float64, right.Stride)
	for c, s := range b.s {
		up[c] = math.Sqrt(s)
		down[c] = 1 / up[c]
	}
	left.ScaleColumns(down)
	right.ScaleColumns(up)
	return left, right
}

// weights is the sum of the gauges of W's columns.
func (k Views) weights(w *gcg.Iterate) float64 {
	views := blocks(k.Sizes, k.Radii)
	sum := w.MergedWeight
	sizes := make([][]float64, len(views))
	for i, b := range views {
		sizes[i] = rowsOf(w.U, b).ColumnNorms()
	}
	right := w.V.ColumnNorms()
	last := views[len(views)-1].hi
	for c := w.Merged; c < w.Rank(); c++ {
		var most float64
		for i, b := range views {
			most = math.Max(most, sizes[i][c]/b.r)
		}
		for l := last; l < w.M; l++ {
			most = math.Max(most, math.Abs(w.U.Row(l)[c]))
		}
		sum += most * right[c]
	}
	return sum
}
