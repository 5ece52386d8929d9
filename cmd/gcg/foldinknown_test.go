package main

import (
	"math"
	"strings"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/model"
)

// At the optimum the training ratings of a known user fold in to the predictions that the fit has for them, whatever is
// subtracted or weighted. Where nothing is subtracted they do not: new users are shrunk to the mean user, those of the fit to 0.
func TestKnownUsersFoldInToTheirFit(t *testing.T) {
	ratings(t)
	all, err := dataset.RatingsReader{}.ReadRatings("ratings.csv")
	if err != nil {
		t.Fatal(err)
	}
	for _, more := range []string{"--lambda 3 --center global", "--lambda 9 --center global --weights smoothed:0.2",
		"--lambda 9 --center global --weights power:0.5", "--lambda 20 --center global --weights empirical",
		"--lambda 0.0025 --center global --normalize mean",
		"--lambda 3 --center rows", "--lambda 3 --center cols", "--lambda 3 --center both", "--lambda 9 --center both --weights " +
			"smoothed:0.2", "--lambda 0.05 --center global --penalty square",
		"--constrain 30 --center global --normalize mean"} {
		fitJSON(t, strings.Fields("--train ratings.csv --tol 1e-10 --clip none --model m "+more)...)
		m, err := model.Load("m")
		if err != nil {
			t.Fatal(err)
		}
		user := all.RowIDs.Find([]byte("7"))
		var items []int32
		var values []float64
		for e, x := range all.Values {
			if all.Rows[e] == user {
				items, values = append(items, all.Cols[e]), append(values, x)
			}
		}
		got, err := m.FoldIn(items, values, m.Cols)
		if err != nil || len(got) != m.Cols-len(items) || m.Rank == 0 {
			t.Fatalf("%s: %d items for a user with %d ratings, rank %d, %v", more, len(got), len(items), m.Rank, err)
		}
		for _, r := range got {
			if want := m.Predict(int(user), r.Item); math.Abs(r.Score-want) > 1e-3 {
				t.Errorf("%s: item %d is predicted %g for the ratings of user 7, and %g for user 7", more, r.Item, r.Score, want)
				break
			}
		}
	}
}
