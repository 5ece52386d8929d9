package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A Gram is about LᵀDL, for the side L (M×m) of an operator that observes L W Rᵀ and the weights D of its rows, as
// diag(Own) + F Fᵀ. Where rows have lists of what they observe the largest eigenvalue is that of popularity, a hundred times the
// next one, and most others are below the diagonal. Own has the smallest eigenvalue of F Fᵀ beside what F leaves of the diagonal:
// what F leaves has eigenvalues up to about that, far above its diagonal, in directions that many rows share. Without it
// MovieLens-1M with lists takes 1.7 times as many products for the last steps.
type Gram struct {
	Own []float64
	F   *gcg.Factor // m×r
}

const (
	gramRank   = 32   // r: with 16 conjugate gradients take a quarter more steps, with 64 a tenth less, of which each costs more
	gramMore   = 8    // columns beyond these while F is found, which makes the last ones of F as good as the first
	gramRounds = 4    // products until then
	gramOwn    = 1e-3 // least part of the diagonal that Own keeps: F may have all of it, but for rounding
)

// newGram is that of the products X ↦ LᵀDL X and of the diagonal of LᵀDL (m×1). F is of its leading eigenvectors, by a
// subspace iteration from random vectors, which are always the same.
func newGram(diagonal *gcg.Factor, times func(x *gcg.Factor) *gcg.Factor) *Gram {
	m := diagonal.Rows
	x := gcg.NewFactor(m, min(gramRank+gramMore, m))
	rng := rand.New(rand.NewPCG(1, 1))
	for i := range m {
		for c := range x.K {
			x.Row(i)[c] = rng.NormFloat64()
		}
	}
	for range gramRounds {
		y := times(x)
		gcg.Repay(x)
		x, _ = gcg.Orthonormal(y, leastColumn)
		gcg.Repay(y)
	}
	g := &Gram{Own: make([]float64, m), F: gcg.NewFactor(m, 0)}
	if x.K > 0 {
		g.F = leading(x, times(x))
	}
	var left float64
	if g.F.K > 0 {
		left = slices.Min(g.F.ColumnDots(g.F)[:g.F.K])
	}
	for i := range g.Own {
		d := diagonal.Row(i)[0]
		g.Own[i] = d
		for _, f := range g.F.Row(i)[:g.F.K] {
			g.Own[i] -= f * f
		}
		g.Own[i] = math.Max(g.Own[i], gramOwn*d) + left
	}
	return g
}

// leading is V diag(values)^½ of the largest eigenvalues of XᵀY, at most gramRank, with the vectors X V. It takes the memory of
// both.
func leading(x, y *gcg.Factor) *gcg.Factor {
	s := NewSpectrum(gcg.TMul(x, y))
	all := gcg.Mul(x, s.Vectors)
	gcg.Repay(x, y)
	defer gcg.Repay(all)
	var columns []int
	for c := max(0, all.K-gramRank); c < all.K; c++ { // they ascend
		all.ScaleColumn(c, math.Sqrt(s.Values[c]))
		columns = append(columns, c)
	}
	return factor.Pick(all, columns)
}

// leastColumn is the part of its length that a vector of a subspace iteration must keep beside the others.
const leastColumn = 1e-10

// Along is xᵀ(diag(Own) + F Fᵀ)x for each column of X (m×l).
func (g *Gram) Along(x *gcg.Factor) []float64 {
	fx := gcg.TMul(g.F, x)
	defer gcg.Repay(fx)
	along := fx.ColumnDots(fx)[:x.K]
	for i, d := range g.Own {
		for c, v := range x.Row(i)[:x.K] {
			along[c] += d * v * v
		}
	}
	return along
}

// framed are the Grams of both sides of an operator that observes L W Rᵀ, with the weights of its rows and columns.
func (b *Basis) framed(f *fusedModel, w Weights) (left, right *Gram) {
	if b.grams[0] != nil {
		return b.grams[0], b.grams[1]
	}
	b.grams[0] = newGram(w.Rows, func(x *gcg.Factor) *gcg.Factor {
		y, _ := f.framed.Times(x, nil)
		z := factor.Blank(x)
		scaleRows(y, w.ObservedRows)
		f.framed.BackTo(z, nil, y, nil)
		gcg.Repay(y)
		return z
	})
	b.grams[1] = newGram(w.Columns, func(x *gcg.Factor) *gcg.Factor {
		_, y := f.framed.Times(nil, x)
		z := factor.Blank(x)
		scaleRows(y, w.ObservedColumns)
		f.framed.BackTo(nil, z, nil, y)
		gcg.Repay(y)
		return z
	})
	return b.grams[0], b.grams[1]
}

// scaleRows multiplies each row of x by a weight.
func scaleRows(x, weight *gcg.Factor) {
	for i := range x.Rows {
		kernel.Scale(weight.Row(i)[0], x.Row(i))
	}
}
