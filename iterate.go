package gcg

import (
	"maps"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/memory"
	"github.com/seed-b18ef778/gcg/internal/rounding"
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

// Whole is W with all rows of its factors on every rank, in the same memory; W itself where ranks share none.
func (w *Iterate) Whole() *Iterate {
	if w.U == nil || w.U.Shared == nil && w.V.Shared == nil {
		return w
	}
	all := *w
	all.U, all.V = w.U.Whole(), w.V.Whole()
	return &all
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

// Add adds Σ weightᵢ·atomᵢ to W. A sparse atom merges with one of W that has the same key and the same entries.
func (w *Iterate) Add(atoms []Atom, weights []float64) {
	k := w.Rank()
	grow, first := 0, (*Atom)(nil)
	for i := range atoms {
		if atoms[i].LowRank() && weights[i] != 0 {
			if grow += atoms[i].U.K; first == nil {
				first = &atoms[i]
			}
		}
	}
	switch {
	case grow > 0 && w.U == nil:
		w.U, w.V = Like[float64](first.U, grow), Like[float64](first.V, grow)
	case grow > 0:
		w.U, w.V = w.U.Widen(k+grow), w.V.Widen(k+grow)
	}
	for i := range atoms {
		switch a := &atoms[i]; {
		case weights[i] == 0:
		case a.LowRank():
			k = w.append(k, a, weights[i])
		default:
			w.addTerm(*a, weights[i])
		}
	}
}

// append writes the columns of a into the columns of W from k on, with the weight spread evenly over both sides. It returns the
// column after them.
func (w *Iterate) append(k int, a *Atom, weight float64) int {
	nu, nv := a.U.ColumnNorms(), a.V.ColumnNorms()
	for c := range nu {
		if nu[c] == 0 || nv[c] == 0 {
			nu[c], nv[c] = 0, 0
			continue
		}
		// u' = √(weight·‖u‖‖v‖) u/‖u‖ and likewise v', so that ‖u'‖ = ‖v'‖ and u'v'ᵀ = weight·uvᵀ.
		t := math.Sqrt(math.Abs(weight) * nu[c] * nv[c])
		nu[c], nv[c] = t/nu[c], math.Copysign(t/nv[c], weight)
	}
	w.U.setColumns(k, a.U, nu)
	w.V.setColumns(k, a.V, nv)
	return k + a.U.K
}

// addTerm adds a sparse atom, by its weight alone where W has it already.
func (w *Iterate) addTerm(a Atom, weight float64) {
	if a.Key != 0 {
		for i := range w.Terms {
			if t := &w.Terms[i]; t.Atom.Key == a.Key && sameEntries(&t.Atom, &a) {
				t.Weight += weight
				return
			}
		}
	}
	w.Terms = append(w.Terms, Term{a, weight})
}

// sameEntries reports whether two sparse atoms have the same entries in the same order.
func sameEntries(a, b *Atom) bool {
	if len(a.Vals) != len(b.Vals) {
		return false
	}
	for i := range a.Vals {
		if a.Rows[i] != b.Rows[i] || a.Cols[i] != b.Cols[i] || a.Vals[i] != b.Vals[i] {
			return false
		}
	}
	return true
}

// sparseSum is Σ weight·atom of the sparse terms as one list of entries, in which places may repeat.
func (w *Iterate) sparseSum() Atom {
	var sum Atom
	for _, t := range w.Terms {
		sum.Rows = append(sum.Rows, t.Atom.Rows...)
		sum.Cols = append(sum.Cols, t.Atom.Cols...)
		for _, x := range t.Atom.Vals {
			sum.Vals = append(sum.Vals, t.Weight*x)
		}
	}
	return sum
}

// Entries are the entries of Σ weight·atom over the sparse terms, by rows and within them by columns; places where they
// cancel are left out.
func (w *Iterate) Entries() (rows, cols []int32, vals []float64) {
	at := w.sumByPlace()
	for _, place := range slices.Sorted(maps.Keys(at)) {
		rows, cols, vals = append(rows, int32(place/int64(w.N))), append(cols, int32(place%int64(w.N))), append(vals, at[place])
	}
	return rows, cols, vals
}

// Nonzeros is the number of Entries.
func (w *Iterate) Nonzeros() int { return len(w.sumByPlace()) }

// sumByPlace is the entries of Σ weight·atom over the sparse terms that are not 0, by place i·N + j.
func (w *Iterate) sumByPlace() map[int64]float64 {
	at := map[int64]float64{}
	for _, t := range w.Terms {
		for e, x := range t.Atom.Vals {
			at[int64(t.Atom.Rows[e])*int64(w.N)+int64(t.Atom.Cols[e])] += t.Weight * x
		}
	}
	maps.DeleteFunc(at, func(_ int64, x float64) bool { return x == 0 })
	return at
}

// Split lists the atoms of W with their weights: every column of the factors as a rank-one atom with unit sides, those that
// were merged as one atom, and the sparse terms.
func (w *Iterate) Split() []Term {
	w = w.Whole()
	var all []Term
	if w.Merged > 0 && w.MergedWeight > 0 {
		a := Atom{U: w.U.Widen(w.Merged), V: w.V.Widen(w.Merged)}
		a.U.Scale(1 / w.MergedWeight)
		all = append(all, Term{a, w.MergedWeight})
	}
	u, v := make([]float64, w.M), make([]float64, w.N)
	for c := w.Merged; c < w.Rank(); c++ {
		w.U.ColumnTo(u, c)
		w.V.ColumnTo(v, c)
		nu, nv := Norm(u), Norm(v)
		if nu == 0 || nv == 0 {
			continue
		}
		a := RankOne(u, v)
		a.U.Scale(1 / nu)
		a.V.Scale(1 / nv)
		all = append(all, Term{a, nu * nv})
	}
	return append(all, w.Terms...)
}

// Join is the m×n iterate of the given terms.
func Join(m, n int, terms []Term) *Iterate {
	w := &Iterate{M: m, N: n}
	atoms, weights := make([]Atom, len(terms)), make([]float64, len(terms))
	for i, t := range terms {
		atoms[i], weights[i] = t.Atom, t.Weight
	}
	w.Add(atoms, weights)
	return w
}

// Dense is W as a row-major m×n slice.
func (w *Iterate) Dense() []float64 {
	w = w.Whole()
	all := memory.Make[float64](w.M * w.N)
	if w.Rank() > 0 {
		kernel.GemmNT(all, w.U.Data, w.V.Data, w.M, w.N, w.U.Stride)
	}
	for _, t := range w.Terms {
		for e, x := range t.Atom.Vals {
			all[int(t.Atom.Rows[e])*w.N+int(t.Atom.Cols[e])] += t.Weight * x
		}
	}
	return all
}

// Merge writes the low-rank part of W in the fewest columns, P S^½ and Q S^½ of its singular value decomposition, at most min(M,
// N). rho is the sum of the weights of all atoms of W. The columns are no atoms of the gauge then: together they are one matrix,
// whose weight is rho less that of the sparse terms. Merged and MergedWeight record this, so that Weights is still rho. It costs
// about 2(M+N)k² flops for k columns.
//
// It is for a W to which atoms are only ever added: no gauge merges them and no improver drops any. Whoever goes on to change the
// weights of single atoms finds one in the place of those that were merged.
func (w *Iterate) Merge(rho float64) {
	if w.Rank() == 0 {
		return
	}
	for _, t := range w.Terms {
		rho -= t.Weight
	}
	p, s, q := SVD(w.U, w.V, rounding.Number)
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

// MergeAtoms merges the columns of W's factors where they are more than twice as many as a matrix of its size can need. So a
// method that only ever adds atoms keeps W small, at the cost of a decomposition each min(m, n) atoms. Where an improver goes on
// from each step, which may work on single atoms, W is left alone.
func (s *State) MergeAtoms(set Settings) {
	if !set.Improved && s.W.Rank() > 2*min(s.W.M, s.W.N) {
		s.W.Merge(s.Rho)
	}
}
