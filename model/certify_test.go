package model_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/model"
)

// A place is known where the items on both sides of it differ by more than √2·√(2 gap/w₀), here by more than 0.2.
func TestCertifiedLists(t *testing.T) {
	lower := 9.995
	m := &model.Model{Info: model.Info{Objective: 10, LowerBound: &lower, Background: 0.5}}
	if within := m.ScoresWithin(); math.Abs(within-math.Sqrt(0.02)) > 1e-12 {
		t.Fatalf("scores are within %v", within)
	}
	list := []model.Recommendation{{Score: 0.9}, {Score: 0.6}, {Score: 0.5}, {Score: 0.1}}
	for next, want := range map[float64][]bool{
		math.Inf(-1): {true, false, false, true},
		0:            {true, false, false, false},
	} {
		c := m.Certify(list, next)
		if !slices.Equal(c.Known, want) || math.Abs(c.Apart()-0.2) > 1e-12 {
			t.Errorf("next %v: places %v, want %v; apart %v", next, c.Known, want, c.Apart())
		}
	}
	if tol := m.ToleranceFor(0.2); math.Abs(tol-0.0005) > 1e-12 {
		t.Errorf("a tolerance of %v tells 0.2 apart", tol)
	}
	m.Info.Observations, lower = 1000, 10 // met exactly: what rounding leaves of the gap remains
	if c := m.Certify([]model.Recommendation{{Score: 0.5}, {Score: 0.5 - 1e-9}}, 0.1); c.Known[0] || c.Within == 0 {
		t.Errorf("ties but for rounding are in order: %+v", c)
	}
	m.Info.Background = 0
	if c := m.Certify(list, math.Inf(-1)); c.Count() != 0 || !math.IsInf(c.Within, 1) {
		t.Errorf("of observed entries alone %d places are known, within %v", c.Count(), c.Within)
	}
	m.Info.Background, m.Info.LowerBound = 1, nil
	if c := m.Certify(list, math.Inf(-1)); c.Count() != 0 {
		t.Error("places are known without a bound")
	}
}

// Scores of many rows at once are the predictions.
func TestScoresOfRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 0.5 + rng.Float64()
		}
		return x
	}
	for _, rank := range []int{0, 3} {
		m := &model.Model{Rows: 7, Cols: 5, Rank: rank, U: draw(7 * rank), V: draw(5 * rank), S: draw(rank), RowScale: draw(7),
			ColScale: draw(5), Global: 2, RowOffset: draw(7), ColOffset: draw(5)}
		got := make([]float64, 3*5)
		m.ScoresTo(got, 2, 5)
		for e, x := range got {
			if want := m.Predict(2+e/5, e%5); math.Abs(x-want) > 1e-12 {
				t.Errorf("rank %d: score %d is %v, want %v", rank, e, x, want)
			}
		}
	}
}
