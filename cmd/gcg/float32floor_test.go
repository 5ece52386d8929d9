package main

import (
	"strings"
	"testing"
)

// A gap below what ratings in float32 can certify is said to be out of reach; others, and such a gap in float64, are not.
func TestFloat32Floor(t *testing.T) {
	ratings(t)
	for args, floor := range map[string]bool{"--float32 --tol 1e-9": true, "--float32 --tol 1e-9 --split 0.8": true,
		"--float32 --tol 1e-6": false, "--tol 1e-9": false} {
		r := fitJSON(t, strings.Fields("--train ratings.csv --center global --lambda 3 "+args)...)
		said := false
		for _, w := range r["warnings"].([]any) {
			said = said || strings.HasPrefix(w.(string),
				"ratings in float32 allow no certified gap far below 1e-07; --tol 1e-09 asks for it")
		}
		if said != floor {
			t.Errorf("%s: warned %v", args, r["warnings"])
		}
		if gap := r["relative_gap"].(float64); gap > 2e-6 {
			t.Errorf("%s: the gap is %g", args, gap)
		}
	}
}
