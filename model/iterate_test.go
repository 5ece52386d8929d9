package model_test

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg"
	"github.com/seed-b18ef778/gcg/model"
)

// sparseAtom has three entries, in no order.
func sparseAtom(scale float64) gcg.Atom {
	return gcg.Atom{Rows: []int32{2, 0, 2}, Cols: []int32{1, 1, 0}, Vals: []float64{scale, 2 * scale, -scale}}
}

// A model predicts what the iterate it was made of is, whatever its atoms.
func TestOfPredictsTheIterate(t *testing.T) {
	low, sparse := &gcg.Iterate{M: 3, N: 2}, &gcg.Iterate{M: 3, N: 2}
	low.Add([]gcg.Atom{gcg.RankOne([]float64{1, 2, 0}, []float64{0, 3}), gcg.RankOne([]float64{0, 1, -1}, []float64{1, 1})},
		[]float64{2, 0.5})
	sparse.Add([]gcg.Atom{sparseAtom(1), {Rows: []int32{0}, Cols: []int32{1}, Vals: []float64{4}}}, []float64{0.5, -0.25})
	for name, w := range map[string]*gcg.Iterate{"low rank": low, "sparse": sparse, "zero": {M: 3, N: 2}} {
		m, err := model.Of("regression", w)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		l, dense, row := m.Linear(), w.Dense(), make([]float64, 2)
		for i := range 3 {
			l.WeightsTo(row, i)
			for j, x := range row {
				if math.Abs(x-dense[2*i+j]) > 1e-12 {
					t.Errorf("%s: W[%d, %d] is %g, the model's %g", name, i, j, dense[2*i+j], x)
				}
				if p := m.Predict(i, j); math.Abs(p-dense[2*i+j]) > 1e-12 {
					t.Errorf("%s: W[%d, %d] is %g, predicted %g", name, i, j, dense[2*i+j], p)
				}
			}
		}
	}
	if m, _ := model.Of("regression", sparse); len(m.Entries.Values) != 2 {
		t.Errorf("entries that cancel are kept: %v", m.Entries)
	}
}

func TestOfRefusesBothKinds(t *testing.T) {
	w := &gcg.Iterate{M: 3, N: 2}
	w.Add([]gcg.Atom{gcg.RankOne([]float64{1, 0, 0}, []float64{0, 1}), sparseAtom(1)}, []float64{1, 1})
	if _, err := model.Of("completion", w); err == nil {
		t.Error("a model was made of factors and sparse atoms")
	}
}
