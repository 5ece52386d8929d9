package spca

import (
	"context"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/gauge"
)

// A componentGauge has the atoms u uᵀ, ‖u‖₂ = 1, with u within one component.
//
//	polar  κ°(G) = the largest λ₁ of a diagonal block of G
//
// It serves the problem of one run, at the D of its method: bounds of components that have not moved since are kept.
type componentGauge struct{ m *Splitting }

// A bound is what is known of λ₁(D) of one component.
type bound struct {
	value, upper float64 // value ≤ λ₁ ≤ upper
	kind         gcg.Kind
	failure      float64
	space        [][]float64 // leading Ritz vectors, the first attains value
}

const (
	// boundPart is the part of what is known to be left of a component's gap that its bound may add to it.
	boundPart = 0.1
	// closingPart is the part of the room that is left below the tolerance that a proven bound may take.
	closingPart = 0.5
	// boundRounds are the most rounds of the search for the leading vectors of D.
	boundRounds = 40
	// ritzPart is the part of λ₁√tol that the residual of its Ritz pair may have: the bound has its square.
	ritzPart = 0.03
	// clusterPart is the part of λ₁ below which eigenvalues count as of its cluster, which is cut out before the rest is bounded.
	clusterPart = 1e-3
	// clusterMost is how many they may be: more cost more than what they save.
	clusterMost = 12
)

// Name is spectrahedron.
func (componentGauge) Name() string { return "spectrahedron" }

// Polar bounds the components, those that may be largest first, and leaves out those that cannot be.
func (k componentGauge) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	bd, ok := g.(*blockDiagonal)
	if !ok || bd.entries != k.m.op {
		return gauge.Spectrahedron{}.Polar(ctx, g, ask) // of another map: all of its atoms
	}
	order := slices.Clone(bd.blocks)
	slices.SortStableFunc(order, func(a, b *block) int {
		switch x, y := a.most(), b.most(); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	p := gcg.Polar{Kind: gcg.Proven, Value: math.Inf(-1), Bound: math.Inf(-1), Alpha: 1}
	var best *block
	for _, b := range order {
		if b.most() <= p.Bound && best != nil {
			break // nor are the others
		}
		if b.dirty || ask.Exact && b.known.kind != gcg.Proven {
			if err := b.update(ctx, bd.r[b.at:b.at+b.len()], k.m.best, k.m.tol, ask); err != nil {
				return gcg.Polar{}, err
			}
		}
		if b.known.upper > p.Bound {
			p.Bound = b.known.upper
		}
		if p.Failure += b.known.failure; b.known.kind == gcg.Probable {
			p.Kind = gcg.Probable
		}
		if b.known.value > p.Value {
			best, p.Value = b, b.known.value
		}
	}
	u := make([]float64, bd.n)
	for i, v := range best.vars {
		u[v] = best.known.space[0][i]
	}
	p.Atoms, p.Values = []gcg.Atom{squareAtom(u)}, []float64{p.Value}
	return p, nil
}

// squareAtom is u uᵀ.
func squareAtom(u []float64) gcg.Atom {
	a := gcg.RankOne(u, u)
	a.Symmetric = true
	return a
}

// most is an upper bound of λ₁ that costs nothing.
func (b *block) most() float64 {
	if b.dirty {
		return b.limit
	}
	return b.known.upper
}

// update bounds λ₁ of the component's D, as closely as its part of the gap is worth. Where the gap to a relative tol would close
// but for the bound, a Cholesky factorization proves a sharper one: other eigenvalues lie too close to λ₁ for Lanczos steps.
func (b *block) update(ctx context.Context, d []float64, primal, tol float64, ask gcg.Ask) error {
	if b.n == 1 {
		b.known = bound{value: d[0], upper: d[0], kind: gcg.Proven, space: [][]float64{{1}}}
		b.dirty = false
		return nil
	}
	want := gcg.Ask{Count: 1, Tol: ask.Tol, Exact: ask.Exact, Seed: ask.Seed}
	space := b.known.space
	if b.n > denseBound {
		e := b.leadingOf(ctx, d, ask.Tol)
		space = e.vectors
		if gap := e.values[0] - primal; gap > 0 {
			want.Tol = math.Max(want.Tol, boundPart*gap/math.Abs(e.values[0]))
		}
		want.W = iterateOf(b.n, space)
	}
	p, err := gauge.Spectrahedron{}.Polar(ctx, blockMap{b.triangle, d}, want)
	if room := tol*math.Abs(primal) - (p.Value - primal); err == nil && room > 0 && p.Bound-p.Value > room {
		want.Exact, want.Tol = true, closingPart*room/math.Abs(p.Value) // what is left is the bound's alone
		p, err = gauge.Spectrahedron{}.Polar(ctx, blockMap{b.triangle, d}, want)
	}
	if err != nil {
		return err
	}
	u := make([]float64, b.n)
	p.Atoms[0].U.ColumnTo(u, 0)
	if b.n <= denseBound || len(space) == 0 {
		space = [][]float64{u}
	}
	b.known = bound{value: p.Value, upper: p.Bound, kind: p.Kind, failure: p.Failure, space: space}
	b.known.space[0] = u
	b.dirty = false
	return nil
}

// denseBound is the number of variables up to which the Spectrahedron decomposes the whole matrix, and needs no start.
const denseBound = 256

// leadingOf are the leading pairs of D: those within the cluster of λ₁.
func (b *block) leadingOf(ctx context.Context, d []float64, tol float64) eigenpairs {
	f := search{n: b.n, wanted: cluster, tol: relative(ritzPart * math.Sqrt(tol)), rounds: boundRounds}
	f.mul = func(dst, x []float64, k int) { b.mulTo(dst, d, x, k) }
	start := b.known.space
	if len(start) == 0 {
		start = b.firstVectors(d)
	}
	e := f.from(ctx, start)
	k := cluster(e.values)
	return eigenpairs{e.values[:k], e.vectors[:k]}
}

// cluster is the number of leading values that are near the first.
func cluster(values []float64) int {
	k := 1
	for k < min(len(values), clusterMost) && values[k] > values[0]-clusterPart*math.Abs(values[0]) {
		k++
	}
	return k
}

// firstVectors are where a search may begin without a start: the row sums of D, and the diagonal.
func (b *block) firstVectors(d []float64) [][]float64 {
	sums, ones, diagonal := make([]float64, b.n), make([]float64, b.n), make([]float64, b.n)
	for i := range ones {
		ones[i] = 1
		diagonal[i] = d[b.triangle.at(i, i)]
	}
	b.mulTo(sums, d, ones, 1)
	return [][]float64{sums, diagonal}
}

// iterateOf is an iterate whose factors have the given columns, for a polar that cuts them out.
func iterateOf(n int, columns [][]float64) *gcg.Iterate {
	w := &gcg.Iterate{M: n, N: n, U: gcg.NewFactor(n, len(columns))}
	for c, x := range columns {
		w.U.SetColumn(c, x, 1)
	}
	w.V = w.U
	return w
}
