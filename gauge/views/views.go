package views

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/enum"
)

// Views is the gauge of two views of the same samples, and of label views beside them [Yu17 §4.4], [Zhang12 eq 14-18]. W has the
// rows of the first view, then those of the second, then a row for each label; its columns are the samples. The atoms are
//
//	[a; b; u] vᵀ,   ‖a‖ ≤ β,   ‖b‖ ≤ γ,   u ∈ {-1, 1}^L,   ‖v‖ ≤ 1
//
// and the polar, with the rows G₁, G₂ of the views and c_l of the labels, is
//
//	κ°(G) = max over ‖v‖ = 1 of β‖G₁v‖ + γ‖G₂v‖ + Σ_l |c_lᵀv|
//
// Without labels this is exact, and so is the gauge, see Bracket. With labels the polar is exact up to ExactLabels of them, and
// the gauge of an iterate is bounded by the weights of its atoms.
type Views struct {
	Sizes  []int     // rows of the two views
	Radii  []float64 // β and γ; nil means 1 and 1
	Labels int       // rows of labels after those of the views
	Search Search    // how the maximum is looked for where there are no labels
}

// A Search is how the polar of two views is looked for. Whatever it is, a value counts only with a bound that meets it.
type Search int

const (
	Exact     Search = iota // the convex problem in τ
	PowerLike               // the iteration of [Yu17 eq 61-62] first, and Exact where its answer has no certificate
)

// Name is multiview.
func (k Views) Name() string { return "multiview" }

// Check names what is wrong with the sizes and the radii.
func (k Views) Check() error {
	if len(k.Sizes) != 2 {
		return fmt.Errorf("multiview: this gauge is of two views, not of %d; Simplex is of any number", len(k.Sizes))
	}
	if err := enum.Check("multiview: Search", k.Search, "Exact", "PowerLike"); err != nil {
		return err
	}
	if k.Labels < 0 {
		return fmt.Errorf("multiview: %d label rows", k.Labels)
	}
	return checkViews(k.Sizes, k.Radii)
}

// checkViews names a view without rows, or a radius that is not positive.
func checkViews(sizes []int, radii []float64) error {
	for i, rows := range sizes {
		if rows < 1 {
			return fmt.Errorf("multiview: view %d has %d rows", i+1, rows)
		}
	}
	if radii != nil && len(radii) != len(sizes) {
		return fmt.Errorf("multiview: %d radii for %d views", len(radii), len(sizes))
	}
	for i, r := range radii {
		if !(r > 0) || math.IsInf(r, 1) {
			return fmt.Errorf("multiview: the radius of view %d is %v; it is a positive number", i+1, r)
		}
	}
	return nil
}

// radius is that of view i.
func radius(radii []float64, i int) float64 {
	if radii == nil {
		return 1
	}
	return radii[i]
}

// blocks are the rows of each view, scaled by its radius: rows lo ≤ i < hi by r.
func blocks(sizes []int, radii []float64) []block {
	all, at := make([]block, len(sizes)), 0
	for i, rows := range sizes {
		all[i] = block{at, at + rows, radius(radii, i)}
		at += rows
	}
	return all
}

// A block is the rows lo ≤ i < hi of W that are one view, of radius r.
type block struct {
	lo, hi int
	r      float64
}

// fit refuses a matrix of other rows than those of the views and labels.
func fit(m int, views []block, labels int) error {
	if want := views[len(views)-1].hi + labels; m != want {
		return fmt.Errorf("multiview: the matrix has %d rows, the views and labels %d", m, want)
	}
	return nil
}

// Balanced are the views and their radii; it reports false with labels, where κ has no closed form.
func (k Views) Balanced() (sizes []int, radii []float64, ok bool) {
	return k.Sizes, allRadii(k.Sizes, k.Radii), k.Labels == 0
}

// Balls are the views with their radii, and the labels as balls of one row. Without labels the columns of a dictionary may go
// together, as κ is the same.
func (k Views) Balls() (sizes []int, radii []float64, together bool) {
	sizes, radii = slices.Clone(k.Sizes), allRadii(k.Sizes, k.Radii)
	for range k.Labels {
		sizes, radii = append(sizes, 1), append(radii, 1)
	}
	return sizes, radii, k.Labels == 0
}

// allRadii are the radii, which are 1 where none are given.
func allRadii(sizes []int, radii []float64) []float64 {
	all := make([]float64, len(sizes))
	for i := range all {
		all[i] = radius(radii, i)
	}
	return all
}

// Polar maximises β‖G₁v‖ + γ‖G₂v‖ + Σ|c_lᵀv|. Where the shorter side of G is at most denseLimit, or there are labels, G is
// written out and the bound is proven; beyond, see products. Errors are of sizes that do not fit, of ctx, and of a spectral
// search.
func (k Views) Polar(ctx context.Context, g gcg.Map, ask gcg.Ask) (gcg.Polar, error) {
	m, n := g.Dims()
	if err := k.Check(); err != nil {
		return gcg.Polar{}, err
	}
	views := blocks(k.Sizes, k.Radii)
	if err := fit(m, views, k.Labels); err != nil {
		return gcg.Polar{}, err
	}
	switch {
	case k.Labels > 0:
		return k.labelPolar(ctx, views, g, ask)
	case !dense(m, n):
		return k.productPolar(ctx, views, g, ask)
	}
	return k.densePolar(ctx, views, g, ask)
}

const (
	// denseLimit is the shorter side up to which Gram matrices are formed and decomposed: a second each at the limit,
	// where the bound by products takes more unless the spectrum has a gap.
	denseLimit = 1024
	// denseEntries is the number of entries up to which G is written out.
	denseEntries = 1 << 24
)

// dense reports whether G is written out.
func dense(m, n int) bool { return min(m, n) <= denseLimit && m*n <= denseEntries }
