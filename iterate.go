package gcg

import (
	"maps"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// A Term is a weighted sparse atom.
type Term struct {
	Atom   Atom
	Weight float64
}

// An Iterate is W = U Vᵀ + Σ weightᵢ·atomᵢ: the low-rank atoms, with their weights spread evenly over both factors,
// and the sparse ones. Only Dense forms it.
type Iterate struct {
	M, N  int
	U, V  *Factor // M×k and N×k, or nil
	Terms []Term
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
	last := int64(math.MaxInt64)
	if b, ok := k.(CountedBlockGauge); ok {
		last = int64(b.Blocks(w.M, w.N))
	}
	for i := range w.Terms {
		a := &w.Terms[i].Atom
		if a.LowRank() || !a.Fits(w.M, w.N) || a.Key < 0 || a.Key > last {
			return false
		}
		if b, ok := k.(BlockGauge); ok && a.Key != 0 && !a.within(b.Block(a.Key, w.M, w.N)) {
			return false
		}
	}
	return true
}

// finite reports whether all of W's numbers are.
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

// Clone is a deep copy of everything that solvers overwrite.
func (w *Iterate) Clone() *Iterate {
	c := &Iterate{M: w.M, N: w.N, Terms: append([]Term(nil), w.Terms...)}
	if w.U != nil {
		c.U, c.V = w.U.Clone(), w.V.Clone()
	}
	return c
}

// Scale multiplies W by c ≥ 0.
func (w *Iterate) Scale(c float64) {
	if w.U != nil {
		w.U.Scale(math.Sqrt(c))
		w.V.Scale(math.Sqrt(c))
	}
	for i := range w.Terms {
		w.Terms[i].Weight *= c
	}
}

// Add adds Σ weightᵢ·atomᵢ. Sparse atoms of one key and the same entries merge.
func (w *Iterate) Add(atoms []Atom, weights []float64) {
	k := w.Rank()
	grow := 0
	for i := range atoms {
		if atoms[i].LowRank() && weights[i] != 0 {
			grow += atoms[i].U.K
		}
	}
	if grow > 0 {
		w.widen(k + grow)
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

func (w *Iterate) widen(k int) {
	if w.U == nil {
		w.U, w.V = NewFactor(w.M, k), NewFactor(w.N, k)
		return
	}
	w.U, w.V = w.U.Widen(k), w.V.Widen(k)
}

// append puts the columns of a at k, the weight spread evenly over both sides.
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

// Weights is the sum of the atoms' weights, a bound of κ(W) where every atom of the factors is a pair of unit columns.
func (w *Iterate) Weights() float64 {
	var s float64
	for c := range w.Rank() {
		s += math.Sqrt(columnDot(w.U, c, c) * columnDot(w.V, c, c))
	}
	for _, t := range w.Terms {
		s += t.Weight
	}
	return s
}

// sparseSum is Σ weight·atom of the sparse terms as one set of entries.
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

// Entries are those of the sparse terms, Σ weight·atom, by rows and within them by columns; places where they cancel are left out.
func (w *Iterate) Entries() (rows, cols []int32, vals []float64) {
	at := map[int64]float64{}
	for _, t := range w.Terms {
		for e, x := range t.Atom.Vals {
			at[int64(t.Atom.Rows[e])*int64(w.N)+int64(t.Atom.Cols[e])] += t.Weight * x
		}
	}
	for _, place := range slices.Sorted(maps.Keys(at)) {
		if x := at[place]; x != 0 {
			rows, cols, vals = append(rows, int32(place/int64(w.N))), append(cols, int32(place%int64(w.N))), append(vals, x)
		}
	}
	return rows, cols, vals
}

// Split lists the atoms of W with their weights: every column of the factors as a rank-one atom with unit sides, and the
// sparse terms.
func (w *Iterate) Split() []Term {
	var all []Term
	u, v := make([]float64, w.M), make([]float64, w.N)
	for c := range w.Rank() {
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

// Join is the iterate of the given terms.
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
	all := make([]float64, w.M*w.N)
	for i := range w.M * min(w.Rank(), 1) {
		for j := range w.N {
			all[i*w.N+j] = kernel.Dot(w.U.Row(i)[:w.U.K], w.V.Row(j)[:w.V.K])
		}
	}
	for _, t := range w.Terms {
		for e, x := range t.Atom.Vals {
			all[int(t.Atom.Rows[e])*w.N+int(t.Atom.Cols[e])] += t.Weight * x
		}
	}
	return all
}
