package main

import (
	"strings"
	"testing"
)

// A test rating of an unknown item is as unknown as one of an unknown user, and is predicted by the centre.
func TestUnknownItemsAreCounted(t *testing.T) {
	ratings(t)
	write(t, map[string]string{"items": "1,nothing,3\n", "users": "nobody,2,3\n", "mixed": "nobody,nothing,3\nnobody,2,3\n1,nothing,3\n1,2,3\n", "known": "1,2,3\n"})
	for file, want := range map[string]float64{"items": 1, "users": 1, "mixed": 3, "known": 0} {
		r := fitJSON(t, strings.Fields("--train ratings.csv --lambda 3 --center global --test "+file)...)
		test := r["test"].(map[string]any)
		if test["unknown"] != want {
			t.Errorf("%s: %v ratings are of unknown users or items, not %v", file, test["unknown"], want)
		}
		if want == 1 {
			near(t, file+": the error of the centre", test["rmse"], r["baselines"].(map[string]any)["global_mean_rmse"].(float64), 1e-12)
		}
	}
}
