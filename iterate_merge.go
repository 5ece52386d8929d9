package gcg

import "math"

// Merge writes the low-rank part of W in the fewest columns, P S^½ and Q S^½ of its singular value decomposition, at most
// min(M, N). rho is what all atoms of W weigh. The columns are no atoms of the gauge then: together they are one matrix of the
// weight rho less that of the sparse terms, which Merged and MergedWeight record, so that Weights is still rho. It costs about
// 2(M+N)k² flops for k columns.
//
// It is for W to which atoms are only ever added, as where a gauge merges none and no improver drops any. Who goes on to change
// the weights of single atoms has one left in the place of those that were merged.
func (w *Iterate) Merge(rho float64) {
	if w.Rank() == 0 {
		return
	}
	for _, t := range w.Terms {
		rho -= t.Weight
	}
	p, s, q := SVD(w.U, w.V, 1e-15)
	roots := make([]float64, p.Stride)
	for c, x := range s {
		roots[c] = math.Sqrt(x)
	}
	p.ScaleColumns(roots)
	q.ScaleColumns(roots)
	w.SetFactors(p, q)
	w.Merged, w.MergedWeight = p.K, math.Max(rho, 0)
	if p.K == 0 {
		w.SetFactors(nil, nil)
	}
}

// SetFactors makes U Vᵀ the low-rank part of W, each pair of columns an atom.
func (w *Iterate) SetFactors(u, v *Factor) { w.U, w.V, w.Merged, w.MergedWeight = u, v, 0, 0 }

// MergeAtoms merges the columns of W's factors where they are more than twice as many as a matrix of its size can need, so that
// a method that only ever adds atoms keeps W small, at the cost of a decomposition each min(m, n) atoms. It leaves W alone
// where an improver goes on from each step, which may work on single atoms.
func (s *State) MergeAtoms() {
	if !s.Improved && s.W.Rank() > 2*min(s.W.M, s.W.N) {
		s.W.Merge(s.Rho)
	}
}
