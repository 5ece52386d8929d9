package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/operator"
	"github.com/seed-b18ef778/gcg/operator/inductive"
	"github.com/seed-b18ef778/gcg/solver/internal/fixedrank/model"
)

// A Gram has the diagonal of L₂ᵀ diag(α)⁻² L₂ and its largest eigenvalues: what is left of it has none above the next one, by
// little, and is nowhere above Own, which has the least eigenvalue of F Fᵀ beside the diagonal.
func TestGram(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	op := skewed(t, rng, 60, 50)
	m, n, _ := op.Dims()
	_, c := framedAt(t, op, normal(rng, m, 3), normal(rng, n, 3))
	b := &model.Basis{}
	left, right := c.Grams(b)
	if again, _ := c.Grams(b); again != left {
		t.Error("a basis does not keep its Grams")
	}
	w := c.Weights()
	for side, g := range []*model.Gram{left, right} {
		var frame *gcg.Factor                // [diag(α) L₂]
		weights, first := w.ObservedRows, 60 // of its rows, and where L₂ begins
		if side == 0 {
			frame, _ = op.Times(gcg.Identity(m), nil)
		} else {
			_, frame = op.Times(nil, gcg.Identity(n))
			weights, first = w.ObservedColumns, 50
		}
		size := len(g.Own)
		features := gcg.NewFactor(first, size)
		for i := range first {
			if g.Scale[i] != frame.Row(i)[i] || g.Weights[i] != weights.Row(i)[0] {
				t.Errorf("side %d: row %d has the scale %v and the weight %v", side, i, g.Scale[i], g.Weights[i])
			}
			for j := range size {
				features.Row(i)[j] = frame.Row(i)[first+j] / g.Scale[i]
			}
		}
		whole := gcg.TMul(features, features)
		values := model.NewSpectrum(whole).Values
		without := whole.Clone()
		least := slices.Min(g.F.ColumnDots(g.F)[:g.F.K])
		for i := range size {
			for j := range size {
				for f := range g.F.K {
					without.Row(i)[j] -= g.F.Row(i)[f] * g.F.Row(j)[f]
				}
			}
			if own := g.Own[i] - least; math.Abs(without.Row(i)[i]-own) > 0.02*whole.Row(i)[i] {
				t.Errorf("side %d: the diagonal of the remainder is %v at %d, not %v", side, own, i, without.Row(i)[i])
			}
		}
		if got, next := without.SpectralNorm(), values[size-1-g.F.K]; got > 1.2*next {
			t.Errorf("side %d: %v is left of %v, where the next eigenvalue is %v", side, got, values[size-1], next)
		}
		for i := range size {
			for j := range size {
				without.Row(i)[j] /= math.Sqrt(g.Own[i] * g.Own[j])
			}
		}
		if got := without.SpectralNorm(); got > 1 {
			t.Errorf("side %d: the remainder is up to %v times the diagonal that stands for it", side, got)
		}
	}
}

// skewed observes entries of L W Rᵀ, whose rows and columns have lists of what they observe: m×n, by rows that observe from a
// twentieth to half of the columns, the first ones most often.
func skewed(t testing.TB, rng *rand.Rand, m, n int) *inductive.Operator {
	t.Helper()
	ptr, cols := []int64{0}, []int32{}
	rows, columns := make([]float64, m), make([]float64, n)
	for i := range m {
		for len(cols) == int(ptr[i]) { // no row without any
			for j := range n {
				if rng.Float64() < 0.5/(1+9*float64(i*j)/float64(m*n)) {
					cols = append(cols, int32(j))
				}
			}
		}
		ptr = append(ptr, int64(len(cols)))
		rows[i] = float64(ptr[i+1] - ptr[i])
		for _, j := range cols[ptr[i]:] {
			columns[j]++
		}
	}
	at, err := operator.NewSampling(m, n, ptr, cols)
	if err != nil {
		t.Fatal(err)
	}
	side := func(counts []float64, lists int) *inductive.Side {
		s := &inductive.Side{N: len(counts), Lists: lists, Scale: slices.Repeat([]float64{0.5}, len(counts))}
		for _, c := range counts {
			s.Listed = append(s.Listed, 0.3/math.Sqrt(max(c, 1)))
		}
		return s
	}
	op, err := inductive.New(at, side(rows, n), side(columns, m))
	if err != nil {
		t.Fatal(err)
	}
	return op
}
