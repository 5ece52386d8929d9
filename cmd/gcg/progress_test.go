package main

import (
	"strings"
	"testing"
)

// A log line before any bound has no gap, where it had that of the largest number.
func TestNoGapYet(t *testing.T) {
	_, errs, code := command(t, "fit", "completion", "--generate", "movielens-100k", "--lambda", "20", "--max-iter", "1",
		"--verbose")
	if code != 0 || !strings.Contains(errs, "gap -  rank 0") || strings.Contains(errs, "e+308") {
		t.Errorf("exit %d, %s", code, errs)
	}
}
