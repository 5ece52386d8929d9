package model_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// An index that the model does not have is an unknown row or column, whichever side it is out on.
func TestIndicesOutside(t *testing.T) {
	m := &model.Model{Problem: "completion", Rows: 3, Cols: 4, Rank: 1, U: []float64{1, 2, 3},
		S: []float64{2}, V: []float64{1, -1, 0.5, 2}, Global: 3, RowOffset: []float64{0, 1, 2}, ColOffset: []float64{0, 0, 1, 1}}
	x := model.NewIndex(m)
	for _, i := range []int{-1, -7, 3, 99, math.MaxInt} {
		if got, want := m.Predict(i, 2), m.Predict(-1, 2); got != want {
			t.Errorf("row %d: %v, not %v", i, got, want)
		}
		if got, want := m.Predict(1, i+1), m.Predict(1, -1); (i < 0 || i > 3) && i != -1 && i != math.MaxInt && got != want {
			t.Errorf("column %d: %v, not %v", i+1, got, want)
		}
		for _, lists := range [][]model.Recommendation{m.Top(i, 2, nil), x.Top(i, 2, nil)} {
			if len(lists) != 2 || lists[0].Item != 2 || lists[1].Item != 3 {
				t.Errorf("row %d: %v", i, lists)
			}
		}
		if len(m.SimilarUsers(i, 2)) != 0 || i != 3 && len(m.SimilarItems(i, 2)) != 0 {
			t.Errorf("%d has lists of what is like it", i)
		}
	}
	if len(m.Top(0, -1, nil)) != 0 || len(m.SimilarItems(0, -1)) != 0 || len(x.Top(0, -1, nil)) != 0 {
		t.Error("-1 items are some")
	}
}

// A score that is none is not explained, and neither an index nor ratings that are not there end in a panic.
func TestNothingToExplain(t *testing.T) {
	m := &model.Model{Problem: "completion", Rows: 2, Cols: 2, Rank: 1, U: []float64{1, 2}, S: []float64{2}, V: []float64{1, -1},
		Info: model.Info{Lambda: 0.1, Loss: "squared"}}
	r := model.NewRecommender(m, 1)
	who := model.NewUser{Cols: []int32{0}, Values: []float64{1}}
	for _, item := range []int{-1, 2, 99} {
		if _, err := r.Explain(who, []model.Recommendation{{Item: item}}); err == nil {
			t.Errorf("item %d is explained", item)
		}
	}
	if lists, err := r.Explain(who, []model.Recommendation{{Item: 1}}); err != nil || len(lists) != 1 {
		t.Errorf("%v, %v", lists, err)
	}
	if met := r.LeaveOut(nil, nil); met != 0 {
		t.Errorf("nothing leaves out %d", met)
	}
	m.Rank, m.U, m.S, m.V = 0, nil, nil, nil
	m.Entries = &model.Entries{Rows: []int32{0}, Cols: []int32{1}, Values: []float64{2}}
	if x := model.NewIndex(m); x != nil || len(x.Top(0, 1, nil)) != 0 || len(x.Similar(0, 1)) != 0 {
		t.Error("a sparse model has an index")
	}
}

// Matrices that are not there are an error.
func TestNoMatrix(t *testing.T) {
	if _, err := dataset.RowsOf(nil); err == nil {
		t.Error("rows of nothing")
	}
	m := &model.Model{Problem: "regression", Rows: 2, Cols: 1, Rank: 0, U: []float64{}, V: []float64{}}
	if _, err := m.Linear().Predict(nil); err == nil {
		t.Error("predictions of nothing")
	}
	if _, err := m.Linear().Predict(mat.NewDense(1, 3, nil)); err == nil {
		t.Error("three features of two")
	}
}
