package model

import (
	"math"
	"math/rand/v2"
	"slices"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/internal/kernel"
	"github.com/seed-b18ef778/gcg/solver/internal/factor"
)

// A Gram is about LᵀDL, for the side L = [diag(α) L₂] of an operator that observes L W Rᵀ and the weights D of its M rows: a
// row has an indicator of its own beside its features, its list of what it observes among them. LᵀDL has a null space as large
// as there are features, in which the own parts of rows make up for them, and no diagonal knows of it: it is to be solved with
// the own parts eliminated. What is left then is about L₂ᵀ diag(α)⁻² L₂, over the rows with observations, and this is about
// diag(Own) + F Fᵀ. Own has the smallest eigenvalue of F Fᵀ beside what F leaves of the diagonal: what F leaves has eigenvalues
// up to about that, in directions that many features share.
type Gram struct {
	Scale, Weights []float64 // α and D
	Own            []float64
	F              *gcg.Factor // q×r
}

const (
	gramRank   = 32   // r: with 16 conjugate gradients take a quarter more steps, with 64 a tenth less, of which each costs more
	gramMore   = 8    // columns beyond these while F is found, which makes the last ones of F as good as the first
	gramRounds = 4    // products until then
	gramOwn    = 1e-3 // least part of the diagonal that Own keeps: F may have all of it, but for rounding
)

// fit sets Own and F for the products X ↦ N X and the diagonal of N (m×1). F is of its leading eigenvectors, by a subspace
// iteration from random vectors, which are always the same.
func (g *Gram) fit(diagonal *gcg.Factor, times func(x *gcg.Factor) *gcg.Factor) {
	m := diagonal.Rows
	g.Own, g.F = make([]float64, m), gcg.NewFactor(m, 0)
	if m == 0 {
		return
	}
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

// framed are the Grams of both sides of an operator that observes L W Rᵀ, with the weights of its rows and columns.
func (b *Basis) framed(f *fusedModel, w Weights) (left, right *Gram) {
	if b.grams[0] == nil {
		m, n, _ := f.op.Dims()
		b.grams[0] = gramOf(w.ObservedRows, m,
			func(x *gcg.Factor) *gcg.Factor { y, _ := f.framed.Times(x, nil); return y },
			func(to, x *gcg.Factor) { f.framed.BackTo(to, nil, x, nil) },
			func(to, x *gcg.Factor) { f.framed.SquaredBackTo(to, nil, x, nil) })
		b.grams[1] = gramOf(w.ObservedColumns, n,
			func(x *gcg.Factor) *gcg.Factor { _, y := f.framed.Times(nil, x); return y },
			func(to, x *gcg.Factor) { f.framed.BackTo(nil, to, nil, x) },
			func(to, x *gcg.Factor) { f.framed.SquaredBackTo(nil, to, nil, x) })
	}
	return b.grams[0], b.grams[1]
}

// gramOf is the Gram of a side S of so many columns: times is S X, back is SᵀX, and squared that with the squares of S.
func gramOf(weights *gcg.Factor, columns int, times func(x *gcg.Factor) *gcg.Factor,
	back, squared func(to, x *gcg.Factor)) *Gram {
	m := weights.Rows
	g := &Gram{Scale: make([]float64, m), Weights: make([]float64, m)}
	all, inverse := gcg.NewFactor(columns, 1), factor.Ones(weights)
	back(all, inverse)
	for i := range m {
		g.Scale[i], g.Weights[i] = all.Row(i)[0], weights.Row(i)[0]
		inverse.Row(i)[0] = 0
		if g.Weights[i] > 0 {
			inverse.Row(i)[0] = 1 / (g.Scale[i] * g.Scale[i])
		}
	}
	squared(all, inverse)
	g.fit(Behind(all, m), func(x *gcg.Factor) *gcg.Factor {
		w := gcg.NewFactor(columns, x.K)
		factor.Copy(Behind(w, m), x)
		y := times(w)
		scaleRows(y, inverse)
		back(w, y)
		z := Behind(w, m).Clone()
		gcg.Repay(w, y)
		return z
	})
	return g
}

// Behind is a view of the rows behind the first.
func Behind[T gcg.Real](x *gcg.FactorOf[T], first int) *gcg.FactorOf[T] {
	return &gcg.FactorOf[T]{Rows: x.Rows - first, K: x.K, Stride: x.Stride, Data: x.Data[first*x.Stride:]}
}

// scaleRows multiplies each row of x by a weight.
func scaleRows(x, weight *gcg.Factor) {
	for i := range x.Rows {
		kernel.Scale(weight.Row(i)[0], x.Row(i))
	}
}
