package model

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// The contributions of the ratings of a new user add up to the scores, less those without ratings, whatever the loss.
func TestContributionsAddUp(t *testing.T) {
	signs := []float64{1, -1, 1, 1, -1}
	stars := []float64{5, 1, 4, 2, 3}
	for name, c := range map[string]struct {
		set    func(m *Model)
		values []float64
	}{
		"squares, centred":     {func(*Model) {}, stars},
		"squares, not centred": {func(m *Model) { m.Global, m.RowOffset, m.ColOffset = 0, nil, nil }, stars},
		"logistic":             {func(m *Model) { m.Info.Loss = "logistic"; m.Global, m.RowOffset, m.ColOffset = 0, nil, nil }, signs},
		"huber":                {func(m *Model) { m.Info.Loss = "huber:0.5" }, stars},
		"clicks": {func(m *Model) {
			m.Info.Background, m.Info.Alpha = 0.1, 2
			m.Global, m.RowOffset, m.ColOffset, m.RowScale = 0, nil, nil, nil
		}, []float64{1, 2, 1, 4, 1}},
		"lists": {func(m *Model) {
			m.RowRated = &Rated{Weight: 0.7, Power: 0.5, Factor: slices.Clone(m.V)}
		}, stars},
		"weighted": {func(m *Model) { m.Info.RowWeight, m.Info.RowPower, m.Info.RowFloor = 0.2, 0.5, 0.1 }, stars},
	} {
		m := indexedModel(rand.New(rand.NewPCG(3, 8)), 12, 60, 5, 0.8, true)
		m.RowScale = nil
		m.Info.Lambda = 0.3
		if c.set(m); name == "weighted" {
			m.RowScale = make([]float64, m.Rows)
		}
		r := NewRecommender(m, 6)
		u := NewUser{ID: "new", Cols: []int32{40, 3, 11, 20, 0}, Values: c.values}
		if name == "lists" {
			u.AlsoSeen = []int32{7, 3}
		}
		list, err := r.FoldIn(u)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		why, err := r.Explain(u, list)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		factor, base, err := m.fold(r.towards("new"), nil, u)
		if err != nil {
			t.Fatal(err)
		}
		start := m.towardsRated(r.towards("new"), u.list())
		if start == nil {
			start = make([]float64, m.Rank)
		}
		for k, l := range list {
			want, sum := m.itemScore(factor, nil, l.Item)-m.itemScore(start, nil, l.Item), 0.0
			for at, part := range why[k] {
				if sum += part.Value; at > 0 && math.Abs(part.Value) > math.Abs(why[k][at-1].Value) {
					t.Errorf("%s: contribution %d is larger than that before it", name, at)
				}
			}
			if math.Abs(sum-want) > 1e-9 || len(why[k]) != 5 {
				t.Errorf("%s: %d contributions to item %d add up to %v, its score above the start is %v (base %v)", name, len(why[k]),
					l.Item, sum, want, base)
			}
		}
	}
}

// A user of the fit is explained by the ratings of the fit: where these are all, the sum is the score.
func TestExplainedUser(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 8))
	const rows, cols = 12, 15
	x := make([]float64, rows*cols)
	var ratings []dataset.Rating
	ids := func(k int) string { return string(rune('a' + k)) }
	for e := range x {
		x[e] = 3 * rng.NormFloat64()
		ratings = append(ratings, dataset.Rating{User: ids(e / cols), Item: ids(e % cols), Value: x[e]})
	}
	m := thresholdedModel(x, rows, cols, 2)
	m.RowIDs, m.ColIDs = nil, nil
	for i := range rows {
		m.RowIDs = append(m.RowIDs, ids(i))
	}
	for j := range cols {
		m.ColIDs = append(m.ColIDs, ids(j))
	}
	r := NewRecommender(m, 3)
	list := []Recommendation{{Item: 2}, {Item: 9}}
	if _, err := r.ExplainUser("c", list); err == nil || !strings.Contains(err.Error(), "no rating is known") {
		t.Error(err)
	}
	seen, err := dataset.FromSlice(ratings)
	if err != nil {
		t.Fatal(err)
	}
	r.LeaveOut(seen, nil)
	why, err := r.ExplainUser("c", list)
	if err != nil {
		t.Fatal(err)
	}
	for k, l := range list {
		var sum float64
		for _, c := range why[k] {
			sum += c.Value
		}
		if want := m.Predict(2, l.Item); math.Abs(sum-want) > 1e-9 || len(why[k]) != cols {
			t.Errorf("item %d: %d contributions add up to %v, its score is %v", l.Item, len(why[k]), sum, want)
		}
	}
	if carrying := Carrying(why); len(carrying) < 10 || math.Abs(carrying[0].Value) < math.Abs(carrying[1].Value) {
		t.Errorf("the list is carried by %v", carrying)
	}
}
