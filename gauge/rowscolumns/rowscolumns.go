package rowscolumns

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/linalg"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Gauge is κ(W) = Σ_i ‖W_i:‖_∞ + Σ_j ‖W_:j‖_∞.
//
//	atoms  sign matrices on a block R×C / (|R| + |C|)
//	polar  κ°(G) = max over R, C of Σ_{i∈R, j∈C} |G_ij| / (|R| + |C|), at sign(G) on the best block
type Gauge struct {
	// Tol is the relative gap at which the proximity operator ends; 0 means 1e-11.
	Tol float64
}

// Name is rows-columns.
func (Gauge) Name() string { return "rows-columns" }

// loosePolar is the Ask.Tol from which on a polar is not proven by flows: who asks for so little wants an atom.
const loosePolar = 1

// Polar is the block of the largest density by peeling, and proven by flows, which may find a better one. It keeps |G| whole. It
// refuses a gradient with an entry that is not finite.
func (Gauge) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	all, err := entriesOf(g)
	if err != nil {
		return gcg.Polar{}, err
	}
	m, n := g.Dims()
	b := newBipartite(all, m, n)
	b.peel()
	bound := b.splitBound()
	for better := ask.Tol < loosePolar; better && bound > b.density*(1+closed); {
		if err := ctx.Err(); err != nil {
			return gcg.Polar{}, err
		}
		bound, better = b.flow()
	}
	atom, value := b.atom(all, m, n)
	rounding := 1 + 4*float64(m+n)*linalg.Epsilon
	return gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Bound: math.Max(bound, value) * rounding,
		Kind: gcg.Proven, Alpha: 1}, nil
}

// PolarBound is κ°(G) of a row-major m×n matrix, by its upper bound.
func PolarBound(g []float64, m, n int) float64 {
	b := newBipartite(g, m, n)
	b.peel()
	bound := b.splitBound()
	for better := true; better && bound > b.density*(1+closed); {
		bound, better = b.flow()
	}
	return bound
}

// closed is the relative distance of bound and value that is left to rounding.
const closed = rounding.Null

// entriesOf are the entries of G, row-major, or which of them is not finite.
func entriesOf(g gcg.Map) ([]float64, error) {
	m, n := g.Dims()
	all := make([]float64, m*n)
	gcg.DenseTo(all, g)
	for e, x := range all {
		if x-x != 0 {
			return nil, fmt.Errorf("gauge: the gradient is %v at row %d, column %d", x, e/n, e%n)
		}
	}
	return all, nil
}

// Of is κ(W) of a row-major m×n W.
func (Gauge) Of(w []float64, m, n int) (rho float64) {
	cols := make([]float64, n)
	for i := range m {
		var top float64
		for j, x := range w[i*n : (i+1)*n] {
			x = math.Abs(x)
			top, cols[j] = math.Max(top, x), math.Max(cols[j], x)
		}
		rho += top
	}
	for _, top := range cols {
		rho += top
	}
	return rho
}

// Compress rewrites W as one atom with all its entries, and returns κ(W).
func (k Gauge) Compress(w *gcg.Iterate) float64 { return compress(k, w) }

// Split is W as one atom of the weight κ(W).
func (k Gauge) Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64) {
	rho = k.Of(w, m, n)
	return oneAtom(w, m, n, rho), rho
}

// A splitter knows its value and writes a matrix as atoms.
type splitter interface {
	Split(w []float64, m, n int) (atoms *gcg.Iterate, rho float64)
}

// compress puts the atom of Split in the place of W.
func compress(k splitter, w *gcg.Iterate) float64 {
	if w.Zero() {
		return w.Weights()
	}
	one, rho := k.Split(w.Dense(), w.M, w.N)
	w.SetFactors(nil, nil)
	w.Terms = one.Terms
	return rho
}

// oneAtom is W as one sparse atom, W/ρ, of the weight ρ.
func oneAtom(w []float64, m, n int, rho float64) *gcg.Iterate {
	it := &gcg.Iterate{M: m, N: n}
	var a gcg.Atom
	for e, x := range w[:m*n] {
		if x != 0 {
			a.Rows, a.Cols, a.Vals = append(a.Rows, int32(e/n)), append(a.Cols, int32(e%n)), append(a.Vals, x/rho)
		}
	}
	if len(a.Vals) > 0 {
		it.Terms = []gcg.Term{{Atom: a, Weight: rho}}
	}
	return it
}
