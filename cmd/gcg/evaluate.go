package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/metric"
	"github.com/seed-b18ef778/gcg/model"
	"github.com/seed-b18ef778/gcg/selection"
)

// testResult is what is measured on held-out ratings.
type testResult struct {
	RMSE     float64  `json:"rmse"`
	NMAE     *float64 `json:"nmae,omitempty"` // left out where all ratings are equal
	N        int      `json:"observations"`
	Unknown  int      `json:"unknown"` // ratings of users or items that were not in training
	Recall   *float64 `json:"recall,omitempty"`
	NDCG     *float64 `json:"ndcg,omitempty"`
	RankingN int      `json:"ranking_n,omitempty"`
}

// Scores are the RMSE.
func (t *testResult) Scores() selection.Scores {
	return selection.Scores{{Name: "RMSE", Value: t.RMSE}}
}

func (t *testResult) note(r *result) {
	nmae := ""
	if t.NMAE != nil {
		nmae = fmt.Sprintf(", NMAE %.4f", *t.NMAE)
	}
	r.note("test", "RMSE %s%s on %d ratings (%d of unknown users or items)", decimals(t.RMSE), nmae, t.N, t.Unknown)
	if t.Recall != nil {
		r.note("ranking", "recall@%d %.4f, NDCG@%d %.4f", t.RankingN, *t.Recall, t.RankingN, *t.NDCG)
	}
}

// evaluate measures predictions as a user gets them: clipped, and by the centre where a user or an item is unknown.
func evaluate(m *model.Model, r *dataset.Ratings, lo, hi float64) *testResult {
	e := errorsOf(m.Predict, nil, r)
	t := &testResult{N: len(r.Values), Unknown: unknownOf(r)}
	t.RMSE = e.RMSE()
	if hi > lo {
		v := e.NMAE(lo, hi)
		t.NMAE = &v
	}
	return t
}

// unknownOf is how many ratings are of unknown users or items.
func unknownOf(r *dataset.Ratings) (count int) {
	for k, i := range r.Rows {
		if i < 0 || r.Cols[k] < 0 {
			count++
		}
	}
	return count
}

// rank measures top-n lists: the test items of a user that are rated at least as high as the median test rating are
// relevant; items rated in training are left out of the lists.
func (t *testResult) rank(m *model.Model, train *dataset.Sparse, test *dataset.Ratings, n int) {
	relevant := map[int]map[int]bool{}
	threshold := median(test.Values)
	for k, x := range test.Values {
		if i, j := int(test.Rows[k]), int(test.Cols[k]); i >= 0 && j >= 0 && x >= threshold {
			if relevant[i] == nil {
				relevant[i] = map[int]bool{}
			}
			relevant[i][j] = true
		}
	}
	var r metric.Ranking
	for i := range train.M {
		if relevant[i] == nil {
			continue
		}
		var items []int
		for _, rec := range m.Top(i, n, train.Cols[train.Ptr[i]:train.Ptr[i+1]]) {
			items = append(items, rec.Item)
		}
		r.Add(items, relevant[i])
	}
	recall, ndcg := r.Recall(), r.NDCG()
	t.Recall, t.NDCG, t.RankingN = &recall, &ndcg, n
}

func median(x []float64) float64 {
	s := append([]float64(nil), x...)
	if len(s) == 0 {
		return 0
	}
	slices.Sort(s)
	return s[len(s)/2]
}

// baselines are the errors of predictions that need no model.
type baselines struct {
	On         string  `json:"on"`
	GlobalMean float64 `json:"global_mean_rmse"`
	Biases     float64 `json:"biases_rmse"`
	rounding   float64 // of a model's error, relative to that of the global mean
}

// baselinesOn measures the global mean, and the row and column biases, of the training ratings: on held-out ratings, or on
// themselves where there are none.
func baselinesOn(train *dataset.Sparse, held *dataset.Ratings) *baselines {
	return measureBaselines(dataset.Centre(train, "global"), dataset.Biases(train), train, held, 1e-9)
}

// compactBaselinesOn are those of ratings in float32, before their centre is taken off.
func compactBaselinesOn(train *dataset.Compact, held *dataset.Ratings) *baselines {
	return measureBaselines(train.Centre("global"), train.Biases(), train, held, 1e-6)
}

func measureBaselines(global, biases *dataset.Offsets, train entries, held *dataset.Ratings, rounding float64) *baselines {
	b := &baselines{On: "training", rounding: rounding}
	if held != nil {
		b.On = "test"
	}
	b.GlobalMean, b.Biases = errorsOf(global.At, train, held).RMSE(), errorsOf(biases.At, train, held).RMSE()
	return b
}

// entries are ratings in any storage.
type entries interface {
	Entries(f func(i, j int, x float64))
}

// errorsOf measures predictions on held-out ratings, or on the training ratings where there are none.
func errorsOf(predict func(i, j int) float64, train entries, held *dataset.Ratings) *metric.Errors {
	var e metric.Errors
	if held == nil {
		train.Entries(func(i, j int, x float64) { e.Add(predict(i, j), x) })
		return &e
	}
	for k, x := range held.Values {
		e.Add(predict(int(held.Rows[k]), int(held.Cols[k])), x)
	}
	return &e
}

// warnWorse says when the model, fitted with some --center and --weights, loses to predictions that need none. Means of rows and columns lose to
// the global mean where they are of a few ratings each. On the training ratings biases prove nothing: with an offset for each user and item they
// fit few ratings as closely as one likes.
func (b *baselines) warnWorse(rmse float64, f *completionFlags) string {
	slack := b.rounding * b.GlobalMean // for what is 0 but for rounding
	var untried []string
	switch {
	case rmse > b.GlobalMean+slack:
		if f.center != "global" {
			untried = append(untried, "--center global")
		}
		return fmt.Sprintf("the model's RMSE on the %s ratings, %s, is worse than that of the global mean, %s: %s",
			b.On, decimals(rmse), decimals(b.GlobalMean), f.tryOr(untried))
	case b.On == "test" && rmse > b.Biases+slack:
		if f.center != "both" {
			untried = append(untried, "--center both")
		}
		if f.weights == "none" {
			untried = append(untried, "--weights smoothed:0.1")
		}
		return fmt.Sprintf("the model's RMSE on the %s ratings, %s, is worse than that of row and column biases, %s: %s",
			b.On, decimals(rmse), decimals(b.Biases), f.tryOr(untried))
	}
	return ""
}

// tryOr proposes what was not tried, or another λ or ζ.
func (f *runFlags) tryOr(untried []string) string {
	another := "another λ"
	if f.constrain > 0 {
		another = "another ζ"
	}
	if len(untried) == 0 {
		return "try " + another
	}
	return "try " + strings.Join(untried, " or ") + ", or " + another
}
