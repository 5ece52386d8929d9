package main

import (
	"encoding/json"
	"strings"
	"testing"
)

// Folds are solved to the gap that is asked for.
func TestFoldsReachTheGap(t *testing.T) {
	ratings(t)
	for _, tol := range []string{"1e-6", "1e-2"} {
		out, errs, code := command(t, strings.Fields("cv completion --train ratings.csv --points 4 --ratio 0.1 --folds 2 --json --quiet --tol "+tol)...)
		var points []pathPoint
		if err := json.Unmarshal([]byte(out), &points); code != 0 || err != nil || len(points) != 4 {
			t.Fatalf("exit %d, %q, %v, %d points", code, errs, err, len(points))
		}
		coarse := 0.0
		for _, p := range points {
			coarse = max(coarse, p.gap())
		}
		if tol == "1e-6" && coarse > 1e-6 || tol == "1e-2" && !(coarse > 1e-6 && coarse <= 1e-2) {
			t.Errorf("--tol %s: the largest gap is %g", tol, coarse)
		}
	}
}
