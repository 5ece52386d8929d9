package views

import (
	"context"
	"fmt"
	"math"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/internal/rounding"
)

// Simplex is a norm of matrices with the rows of any number of views,
//
//	κ(W) = max over τ ≥ 0, Στ_i = 1 of ‖D_τW‖_*,   D_τ = diag(√τ_i/r_i) on the rows of view i
//	     = min over U Vᵀ = W of ½(max ‖U_i‖²/r_i² + ‖V‖²)
//	κ°(G) = min over τ of √λ₁(Σ r_i²G_iᵀG_i/τ_i) = max over ‖V‖ = 1 of Σ r_i‖G_iV‖
//
// Its atoms are U Vᵀ with ‖U_i‖ ≤ r_i and ‖V‖ ≤ 1 in Frobenius norms, of more than one column where that attains more. For two
// views it is Views. For more it is at most the gauge of atoms of rank one, and a convex model with a polar that can be computed.
type Simplex struct {
	Sizes []int     // rows of each view
	Radii []float64 // r; nil means ones
}

// Name is multiview-simplex.
func (k Simplex) Name() string { return "multiview-simplex" }

// Check names what is wrong with the sizes and the radii.
func (k Simplex) Check() error {
	if len(k.Sizes) < 2 {
		return fmt.Errorf("multiview: there are at least two views, not %d", len(k.Sizes))
	}
	return checkViews(k.Sizes, k.Radii)
}

// Balanced are the views and their radii.
func (k Simplex) Balanced() (sizes []int, radii []float64, ok bool) {
	return k.Sizes, allRadii(k.Sizes, k.Radii), true
}

// Balls are the views and their radii, of columns that go together.
func (k Simplex) Balls() (sizes []int, radii []float64, together bool) {
	return k.Sizes, allRadii(k.Sizes, k.Radii), true
}

// Polar minimises λ₁(Σ r_i²G_iᵀG_i/τ_i). G is written out, and the bound proven. Errors are of sizes that do not fit.
func (k Simplex) Polar(_ context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, _ := g.Dims()
	if err := k.Check(); err != nil {
		return gcg.Polar{}, err
	}
	views := blocks(k.Sizes, k.Radii)
	if err := fit(m, views, 0); err != nil {
		return gcg.Polar{}, err
	}
	w := write(g, views)
	switch {
	case w.scale == 0:
		return w.zero(), nil
	case math.IsNaN(w.scale) || math.IsInf(w.scale, 1):
		return broken(), nil
	}
	f := &forms{d: w.d}
	for _, gram := range w.grams {
		if trace(gram, w.d) > 0 {
			f.k = append(f.k, gram)
		}
	}
	x := f.relax(0, w)
	value, atom := w.attainsAll(&x)
	p := gcg.Polar{Atoms: []gcg.Atom{atom}, Values: []float64{value}, Value: value, Kind: gcg.Proven, Alpha: 1}
	p.Bound = math.Max(x.bound*w.scale, value)
	return p, nil
}

// attainsAll is Σ r_i‖G_iV‖ at V = X^½, ‖V‖ = 1, and its atom.
func (w *written) attainsAll(x *relaxed) (value float64, atom gcg.Atom) {
	var weights float64
	count := 0
	for _, weight := range x.weights {
		if weight >= leastWeight {
			weights += weight
			count++
		}
	}
	atom = gcg.Atom{U: gcg.NewFactor(w.m, count), V: gcg.NewFactor(w.n, count)}
	squares := make([]float64, len(w.views))
	for c := range count {
		v := unit(append([]float64(nil), w.lift(x.vectors[c])...))
		kernel.Scale(math.Sqrt(x.weights[c]/weights), v)
		atom.V.SetColumn(c, v, 1)
		for i, b := range w.views {
			for row, y := range w.product(i, v) {
				atom.U.Row(b.lo + row)[c] = y
				squares[i] += y * y
			}
		}
	}
	for i, b := range w.views {
		norm := math.Sqrt(squares[i])
		value += norm
		for row := b.lo; norm > 0 && row < b.hi; row++ {
			kernel.Scale(b.r/norm, atom.U.Row(row))
		}
	}
	return value * w.scale, atom
}

// Kappa is κ(W) of a row-major m×n matrix, rounded up: by about 1e-8 where W has singular values that are as small.
func (k Simplex) Kappa(w []float64, m, n int) float64 {
	u, v := factors(w, m, n)
	upper, _ := k.balance(u, v)
	return upper
}

const (
	balanceTo   = rounding.Null // part of κ that Kappa and Compress may be above it
	mostNewtons = 60            // steps of τ
)

// balance is κ(U Vᵀ), rounded up, and the factors that give it: shares by Gram matrices, and one decomposition of D_τW.
func (k Simplex) balance(u, v *gcg.Factor) (float64, *balanced) {
	if u == nil || u.K == 0 {
		return 0, nil
	}
	d := rotate(u, v, blocks(k.Sizes, k.Radii))
	grams, size := d.grams()
	if size == 0 {
		return 0, nil
	}
	tau := make([]float64, len(k.Sizes))
	for i := range tau {
		tau[i] = 1 / float64(len(tau))
	}
	best := OfGrams(grams, size, tau, balanceTo, mostNewtons)
	at := d.at(best.Tau)
	if at == nil {
		return 0, nil
	}
	return math.Min(at.bound(), best.Upper), at
}

// grams are T RᵀR Tᵀ/r² of the views, in the orthonormal basis of V.
func (d *rotated) grams() (grams [][]float64, size int) {
	size = d.basis.K
	t := gcg.Padded(transposed(d.t))
	from := 0
	for i, end := range d.ends {
		rows := gcg.Mul(rowsOf(d.r, block{from, end, 1}), t)
		x := compact(rows.Data, rows.Rows, rows.Stride, size)
		gram := make([]float64, size*size)
		kernel.Gram(gram, x, rows.Rows, size)
		kernel.Mirror(gram, size)
		kernel.Scale(1/d.views[i].r/d.views[i].r, gram)
		grams = append(grams, gram)
		from = end
	}
	return grams, size
}

// transposed is fᵀ.
func transposed(f *gcg.Factor) *gcg.Factor {
	t := gcg.NewFactor(f.K, f.Rows)
	for i := range f.Rows {
		t.SetColumn(i, f.Row(i)[:f.K], 1)
	}
	return t
}

// Compress returns κ(W), rounded up, and rewrites W in the factors that attain it, without null directions.
func (k Simplex) Compress(w *gcg.Iterate) float64 {
	if w.Rank() == 0 {
		return 0
	}
	upper, at := k.balance(w.U, w.V)
	if at == nil {
		w.SetFactors(nil, nil)
		return 0
	}
	w.SetFactors(at.factors(w.U, w.V))
	return upper
}
