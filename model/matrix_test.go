package model_test

import (
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
	"gonum.org/v1/gonum/mat"
)

// Coef, Intercept and Predict say the same, of entries as of factors, whatever the strides of the rows.
func TestCoefPredicts(t *testing.T) {
	wide := mat.NewDense(2, 4, []float64{1, 2, 3, 9, 4, 5, 6, 9})
	x := wide.Slice(0, 2, 0, 3)
	for name, m := range map[string]*model.Model{
		"entries": {Problem: "regression", Rows: 3, Cols: 2, ColOffset: []float64{1, -1}, RowScale: []float64{2, 1, 1},
			Entries: &model.Entries{Rows: []int32{0, 2}, Cols: []int32{1, 0}, Values: []float64{3, 0.5}}},
		"factors": {Problem: "multitask", Rows: 3, Cols: 2, Rank: 1, U: []float64{1, 0, 2}, S: []float64{2}, V: []float64{1, -1},
			ColOffset: []float64{1, -1}},
	} {
		z, err := m.Linear().Predict(x)
		if err != nil {
			t.Fatal(err)
		}
		var want mat.Dense
		want.Mul(x, m.Coef())
		for j, b := range m.Intercept() {
			for i := range 2 {
				want.Set(i, j, want.At(i, j)+b)
			}
		}
		if !mat.EqualApprox(z, &want, 1e-12) {
			t.Errorf("%s: %v, and by the coefficients %v", name, mat.Formatted(z), mat.Formatted(&want))
		}
		if _, err := m.Linear().Predict(wide); err == nil {
			t.Errorf("%s: rows of four features are taken for three", name)
		}
	}
}

// By ids predictions are those by places; who is unknown has the centre.
func TestPredictID(t *testing.T) {
	m := &model.Model{Problem: "completion", Rows: 2, Cols: 2, Rank: 1, U: []float64{1, 2}, S: []float64{1}, V: []float64{1, 3},
		Global: 5, RowIDs: []string{"a", "b"}}
	for _, c := range []struct {
		row, col string
		want     float64
	}{{"b", "2", m.Predict(1, 1)}, {"a", "1", m.Predict(0, 0)}, {"z", "1", m.Predict(-1, 0)}, {"a", "3", m.Predict(0, -1)},
		{"a", "01", m.Predict(0, -1)}} {
		if got := m.PredictID(c.row, c.col); got != c.want {
			t.Errorf("%s, %s: %v, want %v", c.row, c.col, got, c.want)
		}
	}
}

// A dense matrix whose rows follow each other is shared, and others are copied, the transposed ones, too.
func TestMatrixOf(t *testing.T) {
	wide := mat.NewDense(2, 3, []float64{1, 2, 3, 4, 5, 6})
	if x := dataset.MatrixOf(wide); &x.Dense[0] != &wide.RawMatrix().Data[0] || x.Rows != 2 || x.Cols != 3 {
		t.Error("rows that follow each other are copied")
	}
	for want, x := range map[float64]mat.Matrix{5: wide.Slice(0, 2, 1, 3), 2: wide.T(), 0: mat.NewDiagDense(2, []float64{1, 7})} {
		got := dataset.MatrixOf(x)
		if r, c := x.Dims(); got.Rows != r || got.Cols != c || got.Dense[c] != x.At(1, 0) || got.Dense[c] != want {
			t.Errorf("%v became %v", mat.Formatted(x), got.Dense)
		}
	}
}
