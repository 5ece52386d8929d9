package main

import (
	"math"
	"strings"
	"testing"
)

// A model predicts what was fitted: without clipping its training error is that of the loss, whatever is subtracted, weighted or rounded.
func TestPredictionsAreTheFit(t *testing.T) {
	ratings(t)
	for _, more := range []string{"", "--weights empirical", "--weights smoothed:0.1 --center both", "--weights power:0.5 --center rows", "--normalize mean --lambda 0.02 --weights smoothed:0.5"} {
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

// Power weights are the numbers of ratings to that power, and p of empirical and smoothed weights are distributions, on both sides.
func TestWeightScales(t *testing.T) {
	const total = 20
	counts := []float64{1, 2, 3, 6, 8}
	for _, kind := range []string{"empirical", "smoothed"} {
		sum := 0.0
		for _, s := range weightScales(append([]float64(nil), counts...), kind, 0.3, total) {
			sum += 1 / (s * s)
		}
		near(t, kind+": the sum of p", sum, 1, 1e-12)
	}
	for i, s := range weightScales(append([]float64(nil), counts...), "power", 0.3, total) {
		near(t, "a power's scale", s, math.Pow(counts[i]/total, -0.15), 1e-12)
	}
	floor := weightScales(append([]float64(nil), counts...), "smoothed", 0.3, total)[0]
	near(t, "a smoothed scale", floor, 1/math.Sqrt(0.7/20+0.3/5), 1e-12)
	unrated := weightScales([]float64{0, 1, 19}, "empirical", 0, total)
	near(t, "the scale of a row without ratings", unrated[0], unrated[1], 0)
}
