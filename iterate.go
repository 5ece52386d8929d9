package gcg

import (
	"math"
	"slices"
)

// A Term is a weighted sparse atom.
type Term struct {
	Atom   Atom
	Weight float64
}

// An Iterate is W = U Vᵀ + Σ weightᵢ·atomᵢ. U Vᵀ are the low-rank atoms, with their weights spread evenly over both factors. The
// sum is over the sparse atoms. Nothing but Dense forms W as a matrix.
type Iterate struct {
	M, N  int
	U, V  *Factor // M×k and N×k, or nil
	Terms []Term
	// Merged is the number of leading columns of the factors that are no atoms. Together they are one matrix whose gauge is at
	// most MergedWeight, see Merge. It is 0 for most W.
	Merged       int
	MergedWeight float64
}

// Rank is the number of columns of the factors.
func (w *Iterate) Rank() int {
	if w.U == nil {
		return 0
	}
	return w.U.K
}

// Zero reports whether W has no atoms.
func (w *Iterate) Zero() bool { return w.Rank() == 0 && len(w.Terms) == 0 }

// wellFormed reports whether the parts of W fit together, and its sparse atoms the blocks of the gauge.
func (w *Iterate) wellFormed(k Gauge) bool {
	if (w.U == nil) != (w.V == nil) || w.U != nil && (w.U.K != w.V.K || !w.U.wellFormed(w.M) || !w.V.wellFormed(w.N)) {
		return false
	}
	if w.Merged < 0 || w.Merged > w.Rank() || !(w.MergedWeight >= 0) {
		return false
	}
	last := int64(math.MaxInt64)
	blocks, ok := k.(BlockGauge)
	if ok {
		last = int64(blocks.Blocks(w.M, w.N))
	}
	for i := range w.Terms {
		a := &w.Terms[i].Atom
		if a.LowRank() || !a.Fits(w.M, w.N) || a.Key < 0 || a.Key > last {
			return false
		}
		if ok && a.Key != 0 && !a.within(blocks.Block(a.Key, w.M, w.N)) {
			return false
		}
	}
	return true
}

// finite reports whether all numbers of W are finite.
func (w *Iterate) finite() bool {
	ok := func(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
	for _, f := range []*Factor{w.U, w.V} {
		if f != nil && slices.ContainsFunc(f.Data, func(x float64) bool { return !ok(x) }) {
			return false
		}
	}
	for _, t := range w.Terms {
		if !ok(t.Weight) || slices.ContainsFunc(t.Atom.Vals, func(x float64) bool { return !ok(x) }) {
			return false
		}
	}
	return true
}

// Clone is a copy of W; it shares the entries of sparse atoms, which solvers do not overwrite.
func (w *Iterate) Clone() *Iterate {
	c := &Iterate{M: w.M, N: w.N, Terms: append([]Term(nil), w.Terms...)}
	if w.U != nil {
		c.U, c.V, c.Merged, c.MergedWeight = w.U.Clone(), w.V.Clone(), w.Merged, w.MergedWeight
	}
	return c
}

// Scale multiplies W by c ≥ 0.
func (w *Iterate) Scale(c float64) {
	if w.U != nil {
		w.U.Scale(math.Sqrt(c))
		w.V.Scale(math.Sqrt(c))
		w.MergedWeight *= c
	}
	for i := range w.Terms {
		w.Terms[i].Weight *= c
	}
}

// Weights is the sum of the weights of the atoms, an upper bound of κ(W) where every low-rank atom is a pair of unit columns.
func (w *Iterate) Weights() float64 {
	s := w.MergedWeight
	for c := w.Merged; c < w.Rank(); c++ {
		s += math.Sqrt(columnDot(w.U, c, c) * columnDot(w.V, c, c))
	}
	for _, t := range w.Terms {
		s += t.Weight
	}
	return s
}
