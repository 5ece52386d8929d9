package gauge

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Inner is the norm inside the groups of a Group gauge.
type Inner int

const (
	L2   Inner = iota // Euclidean norm: a group is zero or full
	LInf              // largest entry by size: the entries of a group tend to one size
)

// Group is a group lasso, κ(W) = Σ_g w_g‖W_g‖, over the rows of W, its columns, or given disjoint groups of entries.
//
//	L2    atoms  unit ℓ2 vectors on one group / w_g       polar  max_g ‖G_g‖₂ / w_g, at G_g/‖G_g‖₂
//	LInf  atoms  vectors with |a| ≤ 1 on one group / w_g  polar  max_g ‖G_g‖₁ / w_g, at sign(G_g), 0 where G is 0
//
// The key of an atom is 1 plus its group. κ is +Inf where W is not 0 outside the given groups. Sources: Yuan and Lin 2006;
// Turlach, Venables and Wright 2005 for LInf.
type Group struct {
	// Index lists the entries of each group, i·n + j for W_ij; nil means that the rows are the groups.
	Index     [][]int32
	ByColumns bool // the columns are the groups; Index must be nil
	Inner     Inner
	// Weights has one positive weight for each group; nil means 1.
	Weights []float64
	// BySize multiplies the weights by the roots of the groups' sizes, so that groups of noise are equally likely to be chosen.
	BySize bool
}

// Name is rows, columns or group, with the norm inside.
func (k Group) Name() string {
	inner := map[Inner]string{L2: "l2", LInf: "linf"}[k.Inner]
	switch {
	case k.Index != nil:
		return "group(" + inner + ")"
	case k.ByColumns:
		return "columns(" + inner + ")"
	}
	return "rows(" + inner + ")"
}

// FactorNorms are 1 and that inside for rows, and the other way about for columns: κ is that of Factor. It reports false for
// weights and for groups of an index.
func (k Group) FactorNorms() (left, right float64, ok bool) {
	left, right = 1, k.primal()
	if k.ByColumns {
		left, right = right, left
	}
	return left, right, k.Index == nil && k.Weights == nil && !k.BySize
}

// Polar reads G once for the norms of the groups, and once more for the entries of the groups that it returns. It refuses
// groups that are empty, overlap or leave the matrix, weights that are not positive and finite, and a gradient with an entry
// that is not finite.
func (k Group) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	part, err := k.partition(m, n)
	if err != nil {
		return gcg.Polar{}, err
	}
	norms, err := part.norms(ctx, g, k.exponent())
	if err != nil {
		return gcg.Polar{}, err
	}
	best := newLeaders(ask)
	for c, norm := range norms {
		best.offer(c, norm/part.weight(c))
	}
	groups, largest := best.ranked()
	entries, err := part.read(ctx, g, groups)
	if err != nil {
		return gcg.Polar{}, err
	}
	atoms, values := make([]gcg.Atom, len(groups)), make([]float64, len(groups))
	for i, c := range groups {
		atoms[i], values[i] = part.atom(c, entries[i], k.primal())
	}
	p := proven(atoms, values, 0)
	// The best group by its norm is the best but for rounding of the norms: n terms each, with a root.
	p.Bound = math.Max(p.Bound, largest[0]) * (1 + 4*float64(part.largest()+8)*linalg.Epsilon)
	return p, nil
}

// primal is the exponent of the norm inside κ.
func (k Group) primal() float64 {
	if k.Inner == LInf {
		return math.Inf(1)
	}
	return 2
}

// exponent is the exponent of the dual norm, inside the polar.
func (k Group) exponent() float64 { return dual(k.primal()) }

// partition is the groups of an m×n matrix, or what is wrong with them.
func (k Group) partition(m, n int) (*partition, error) {
	if k.Inner != L2 && k.Inner != LInf {
		return nil, fmt.Errorf("gauge: %d is no norm for groups; there are L2 and LInf", k.Inner)
	}
	if k.Index != nil && k.ByColumns {
		return nil, fmt.Errorf("gauge: groups are columns or given by an index, not both")
	}
	p := &partition{m: m, n: n, index: k.Index, columns: k.ByColumns, weights: k.Weights, bySize: k.BySize}
	if err := p.checkIndex(); err != nil {
		return nil, err
	}
	return p, checkWeights(k.Name(), k.Weights, p.count(), "group")
}

// Of is Σ w_g‖W_g‖, or +Inf where W is not 0 outside the groups. It panics where Polar refuses the groups or weights.
func (k Group) Of(w []float64, m, n int) float64 {
	part := k.mustPartition(m, n)
	var s, norm float64
	part.each(func(c int, entries []int, x []float64) {
		part.gather(x, w, entries)
		norm = linalg.PNorm(x, k.primal())
		s += part.weight(c) * norm
	})
	if part.outside(w[:m*n]) {
		return math.Inf(1)
	}
	return s
}

// ProxTo shrinks every group by itself: to W_g·max(1 - t·w_g/‖W_g‖₂, 0) for L2, to W_g less its projection on the ℓ1 ball of
// radius t·w_g for LInf. Entries outside the groups become 0. It returns κ(dst), and panics where Polar refuses the groups or
// weights.
func (k Group) ProxTo(dst, w []float64, m, n int, t float64) float64 {
	part := k.mustPartition(m, n)
	out := make([]float64, m*n)
	var rho float64
	part.each(func(c int, entries []int, x []float64) {
		part.gather(x, w, entries)
		rho += part.weight(c) * proxNormTo(x, x, t*part.weight(c), k.primal())
		for i, e := range entries {
			out[e] = x[i]
		}
	})
	copy(dst, out)
	return rho
}

// mustPartition is partition for methods that return no error; it panics instead. Polar refuses the same mistakes with an
// error.
func (k Group) mustPartition(m, n int) *partition {
	p, err := k.partition(m, n)
	if err != nil {
		panic(err)
	}
	return p
}
