package views

import (
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/internal/kernel"
)

// Shares of views that add nothing to the span of the others go to 0, several of them at once: κ is bracketed as elsewhere.
func TestVanishingShares(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 6))
		sizes := []int{19, 2, 9, 11, 2, 3}
		const n, rank = 14, 9
		basis := make([]float64, rank*n)
		for i := range basis {
			basis[i] = rng.NormFloat64()
		}
		var w []float64
		for view, rows := range sizes {
			size := []float64{2, 0.02, 0.3, 1, 0.02, 0.3}[view]
			for range rows {
				row := make([]float64, n)
				for c := range rank {
					kernel.Axpy(size*rng.NormFloat64(), basis[c*n:(c+1)*n], row)
				}
				w = append(w, row...)
			}
		}
		u, v := factors(w, len(w)/n, n)
		grams, size := rotate(u, v, blocks(sizes, nil)).grams()
		b := OfGrams(grams, size, []float64{1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6, 1. / 6}, balanceTo, mostNewtons)
		if !(b.Upper <= b.Lower*(1+1e-9)) {
			t.Errorf("seed %d: κ is from %v to %v at the shares %.2g", seed, b.Lower, b.Upper, b.Tau)
		}
	}
}

// Near the best shares ‖D_τW‖_* is flat: its rounding does not end the search while the bound still falls.
func TestFlatShares(t *testing.T) {
	for seed := range uint64(60) {
		rng := rand.New(rand.NewPCG(seed, 3))
		sizes, radii := []int{6, 5, 8}, []float64{1, 0.5, 3}
		const n = 30
		rank := 1 + int(seed%12)
		basis := make([]float64, rank*n)
		for i := range basis {
			basis[i] = rng.NormFloat64()
		}
		w := make([]float64, 19*n)
		for i := range 19 {
			for c := range rank {
				kernel.Axpy(rng.NormFloat64()/float64(1+c*c), basis[c*n:(c+1)*n], w[i*n:(i+1)*n])
			}
		}
		u, v := factors(w, 19, n)
		grams, size := rotate(u, v, blocks(sizes, radii)).grams()
		b := OfGrams(grams, size, []float64{1. / 3, 1. / 3, 1. / 3}, balanceTo, mostNewtons)
		if !(b.Upper <= b.Lower*(1+n*2*floorPart)) {
			t.Errorf("seed %d: κ is from %v to %v at the shares %.2g", seed, b.Lower, b.Upper, b.Tau)
		}
	}
}
