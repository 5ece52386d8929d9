package rowscolumns

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Groups is κ(W) = Σ_g w_g ‖W_g‖_∞ over given groups of entries, which may overlap, and together have every entry.
//
//	atoms  signs on a set T of entries / Σ {w_g : g meets T}
//	polar  κ°(G) = max over T of Σ_T |G_ij| / Σ {w_g : g meets T}
//
// Polar, value and bound are exact. The groups of a tree are nested or disjoint, those of a grid are its windows.
type Groups struct {
	m, n    int
	index   [][]int32
	weights []float64
	of      [][]int32 // the groups of every entry
	order   []int     // of groups, small ones first: one pass of the proximity operator is enough for a tree then
}

// NewGroups takes the entries i·n + j of each group of an m×n W, and positive weights or nil for ones; they are kept, not copied.
// It refuses groups that are empty, have an entry twice or leave the matrix, entries that no group has, and other weights.
func NewGroups(m, n int, index [][]int32, weights []float64) (*Groups, error) {
	if m < 1 || n < 1 || m > math.MaxInt32/n {
		return nil, fmt.Errorf("gauge: groups of entries are of a matrix, not of %d×%d", m, n)
	}
	k := &Groups{m: m, n: n, index: index, weights: weights, of: make([][]int32, m*n), order: count(len(index))}
	if weights != nil && len(weights) != len(index) {
		return nil, fmt.Errorf("gauge: there are %d weights for %d groups", len(weights), len(index))
	}
	for g, entries := range index {
		if w := k.weight(g); !(w > 0) || math.IsInf(w, 1) {
			return nil, fmt.Errorf("gauge: the weight of group %d is %v; it must be positive and finite", g+1, w)
		}
		if len(entries) == 0 {
			return nil, fmt.Errorf("gauge: group %d is empty", g+1)
		}
		for _, e := range entries {
			if e < 0 || int(e) >= m*n {
				return nil, fmt.Errorf("gauge: group %d has entry %d; a %d×%d matrix has 0 to %d", g+1, e, m, n, m*n-1)
			}
			if own := k.of[e]; len(own) > 0 && own[len(own)-1] == int32(g) {
				return nil, fmt.Errorf("gauge: group %d has the entry at row %d, column %d twice", g+1, int(e)/n+1, int(e)%n+1)
			}
			k.of[e] = append(k.of[e], int32(g))
		}
	}
	for e, own := range k.of {
		if len(own) == 0 {
			return nil, fmt.Errorf("gauge: no group has the entry at row %d, column %d: κ says nothing of it; give it a group of its own",
				e/n+1, e%n+1)
		}
	}
	slices.SortStableFunc(k.order, func(a, b int) int { return len(index[a]) - len(index[b]) })
	return k, nil
}

// Given are the groups and weights of NewGroups, not copied.
func (k *Groups) Given() (index [][]int32, weights []float64) { return k.index, k.weights }

// weight is w_g.
func (k *Groups) weight(g int) float64 {
	if k.weights == nil {
		return 1
	}
	return k.weights[g]
}

// Name is overlapping-groups.
func (*Groups) Name() string { return "overlapping-groups" }

// Polar is exact: Dinkelbach's steps, a maximum flow each. It refuses a gradient of another size, or with an entry that is not
// finite.
func (k *Groups) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	if m, n := g.Dims(); m != k.m || n != k.n {
		return gcg.Polar{}, fmt.Errorf("gauge: the groups are of a %d×%d matrix, and the gradient is %d×%d", k.m, k.n, m, n)
	}
	all, err := entriesOf(g)
	if err != nil {
		return gcg.Polar{}, err
	}
	f := k.newFlow(all)
	for f.bound() > f.tau*(1+closed) {
		if err := ctx.Err(); err != nil {
			return gcg.Polar{}, err
		}
		for f.search() {
			f.push()
		}
		if f.bound() <= f.tau*(1+closed) || !f.take(f.reached()) {
			break
		}
	}
	atom, value := k.atom(f.best, all)
	rounding := 1 + 8*float64(len(k.index)+len(all))*linalg.Epsilon
	return gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Bound: math.Max(f.bound(), value) * rounding,
		Kind: gcg.Proven, Alpha: 1}, nil
}

// atom is the signs on the entries of T where G is not 0, over the weight of their groups, and what it attains; the first entry
// at G = 0.
func (k *Groups) atom(entries []int32, g []float64) (a gcg.Atom, value float64) {
	if len(entries) == 0 {
		entries = []int32{0}
	}
	unit := 1 / k.weightOf(entries)
	for _, e := range entries {
		x := g[e]
		value += math.Abs(x) * unit
		a.Rows, a.Cols = append(a.Rows, e/int32(k.n)), append(a.Cols, e%int32(k.n))
		a.Vals = append(a.Vals, math.Copysign(unit, x))
	}
	return a, value
}

// weightOf is Σ w_g over the groups that meet the entries.
func (k *Groups) weightOf(entries []int32) (sum float64) {
	met := make([]bool, len(k.index))
	for _, e := range entries {
		for _, g := range k.of[e] {
			if !met[g] {
				met[g] = true
				sum += k.weight(int(g))
			}
		}
	}
	return sum
}

// Of is κ(W) of a row-major W.
func (k *Groups) Of(w []float64, _, _ int) (rho float64) {
	for g, entries := range k.index {
		var top float64
		for _, e := range entries {
			top = math.Max(top, math.Abs(w[e]))
		}
		rho += k.weight(g) * top
	}
	return rho
}

// Compress rewrites W as one atom with all its entries, and returns κ(W).
func (k *Groups) Compress(w *gcg.Iterate) float64 { return compress(k, w) }

// Split is W as one atom of the weight κ(W).
func (k *Groups) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	rho = k.Of(w, m, n)
	return oneAtom(w, m, n, rho), rho
}

var _ gcg.Compressor = (*Groups)(nil)
