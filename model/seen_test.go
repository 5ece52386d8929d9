package model_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/model"
)

// What was seen is in no list, in whatever order it is given, and stays as it is.
func TestSeenInAnyOrder(t *testing.T) {
	m := tastes()
	seen := []int32{3, 0, 3}
	for name, list := range map[string][]model.Recommendation{
		"model": m.Top(0, 4, seen), "index": model.NewIndex(m).Top(0, 4, seen),
	} {
		if len(list) != 2 || list[0].Item != 1 || list[1].Item != 2 {
			t.Errorf("%s: %v", name, list)
		}
	}
	if !slices.Equal(seen, []int32{3, 0, 3}) {
		t.Errorf("seen is %v afterwards", seen)
	}
}

// A column that is rated twice is an error that names it; clicks on it count together.
func TestFoldInRefusesDuplicates(t *testing.T) {
	m := tastes()
	if list, err := m.FoldIn([]int32{2, 0, 2}, []float64{1, 2, 3}, 2); err == nil || list != nil ||
		!strings.Contains(err.Error(), "column 2 twice") {
		t.Errorf("%v, %v", list, err)
	}
	m.Info.Background, m.Info.Alpha = 0.1, 1
	one, err1 := m.FoldIn([]int32{2}, []float64{2}, 4)
	two, err2 := m.FoldIn([]int32{2, 2}, []float64{1, 1}, 4)
	if err1 != nil || err2 != nil || !slices.Equal(one, two) {
		t.Errorf("%v and %v; %v, %v", one, two, err1, err2)
	}
}

// Without ratings the items come by the means of what the rows of the model are predicted, whatever the loss, and not by number.
func TestFoldInWithoutRatings(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 8))
	for _, info := range []model.Info{{Lambda: 0.1}, {Lambda: 0.1, Loss: "logistic"}, {Lambda: 0.1, Background: 0.1, Alpha: 1}} {
		for _, global := range []float64{0, 3} {
			m := &model.Model{Problem: "completion", Rows: 6, Cols: 9, Rank: 2, S: []float64{3, 1}, Global: global, Info: info}
			for range m.Rows * m.Rank {
				m.U = append(m.U, rng.NormFloat64())
			}
			for range m.Cols * m.Rank {
				m.V = append(m.V, rng.NormFloat64())
			}
			mean := make([]float64, m.Cols)
			for j := range mean {
				for i := range m.Rows {
					mean[j] += m.Score(i, j) / float64(m.Rows)
				}
			}
			list, err := m.FoldIn(nil, nil, m.Cols)
			if err != nil || len(list) != m.Cols {
				t.Fatalf("%v, %v", list, err)
			}
			for k := 1; k < len(list); k++ {
				if a, b := list[k-1].Item, list[k].Item; mean[a] < mean[b] {
					t.Errorf("%s %v: %d before %d, whose means are %v and %v", info.Loss, global, a, b, mean[a], mean[b])
				}
			}
		}
	}
}
