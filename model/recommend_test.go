package model

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Lists rank all columns but those that were seen by their predictions.
func TestListsRankByPredictions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	const rows, cols, n = 40, 23, 6
	x := make([]float64, rows*cols)
	for i := range x {
		x[i] = rng.NormFloat64() * 2
	}
	m := thresholdedModel(x, rows, cols, 0.5)
	seen := func(i int) (list []int32) {
		for j := range cols {
			if (i+j)%4 == 0 || i == 5 && j > 3 {
				list = append(list, int32(j))
			}
		}
		return list
	}
	for i := range rows {
		list := m.Top(i, n, seen(i))
		var want []int
		for j := range cols {
			if !slices.Contains(seen(i), int32(j)) {
				want = append(want, j)
			}
		}
		slices.SortFunc(want, func(a, b int) int {
			if m.Predict(i, a) > m.Predict(i, b) {
				return -1
			}
			return 1
		})
		want = want[:min(n, len(want))]
		var got []int
		for _, r := range list {
			got = append(got, r.Item)
		}
		if !slices.Equal(got, want) {
			t.Errorf("row %d: %v, by predictions %v", i, got, want)
		}
	}
}
