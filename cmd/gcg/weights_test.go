package main

import (
	"math"
	"strings"
	"testing"
)

// A model predicts what was fitted: without clipping its training error is that of the loss, whatever is subtracted, weighted or
// rounded.
func TestPredictionsAreTheFit(t *testing.T) {
	ratings(t)
	for _, more := range []string{"", "--weights empirical", "--weights smoothed:0.1 --center both",
		"--weights power:0.5 --center rows", "--normalize mean --lambda 0.02 --weights smoothed:0.5"} {
		for _, storage := range []string{"", " --float32"} {
			args := "--train ratings.csv --lambda 20 --tol 1e-4 --clip none " + more + storage
			r := fitJSON(t, strings.Fields(args)...)
			n := 1200.0
			if strings.Contains(more, "mean") {
				n = 1
			}
			near(t, args+": the training RMSE", r["train_rmse"], math.Sqrt(2*r["loss"].(float64)/n), 1e-5)
			if r["rank"] == 0.0 {
				t.Errorf("%s: W = 0 tells nothing", args)
			}
		}
	}
}
