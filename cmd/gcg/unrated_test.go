package main

import (
	"strings"
	"testing"
)

// Pairs of a file of ratings need none to be predicted; the error is that of those that have one.
func TestPredictUnratedPairs(t *testing.T) {
	ratings(t)
	fitJSON(t, "--train", "ratings.csv", "--lambda", "2", "--model", "m")
	write(t, map[string]string{"none.csv": "user,item,rating\n1,2,\n2,2,\n", "some.csv": "user,item,rating\n1,2,\n2,2,3\n"})
	for file, worth := range map[string]string{"none.csv": "", "some.csv": " on 1 ratings\n"} {
		out, errs, code := command(t, "predict", "--model", "m", "--data", file)
		if code != 0 || strings.Count(out, "\n") != 3 || !strings.HasSuffix(errs, worth) || worth == "" && errs != "" {
			t.Errorf("%s: exit %d, %q, %q", file, code, out, errs)
		}
	}
}
