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

// A Gram has the diagonal of LᵀDL and its largest eigenvalues: what is left of it has none above the next one, by little, and is
// nowhere above Own, which has the least eigenvalue of F Fᵀ beside the diagonal.
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
		size := len(g.Own)
		unit := gcg.Identity(size)
		var frame, weight *gcg.Factor // L (M×m) and D
		if side == 0 {
			frame, _ = op.Times(unit, nil)
			weight = w.ObservedRows
		} else {
			_, frame = op.Times(nil, unit)
			weight = w.ObservedColumns
		}
		heavy := frame.Clone()
		for i := range heavy.Rows {
			for f := range heavy.Row(i) {
				heavy.Row(i)[f] *= weight.Row(i)[0]
			}
		}
		whole := gcg.TMul(frame, heavy)
		values := model.NewSpectrum(whole).Values
		x := normal(rng, size, 2)
		along := g.Along(x)
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
		var want float64
		for i := range size {
			want += g.Own[i] * x.Row(i)[1] * x.Row(i)[1]
		}
		fx := gcg.TMul(g.F, x)
		for f := range g.F.K {
			want += fx.Row(f)[1] * fx.Row(f)[1]
		}
		if math.Abs(along[1]-want) > 1e-10*want {
			t.Errorf("side %d: along a vector it is %v, not %v", side, along[1], want)
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
