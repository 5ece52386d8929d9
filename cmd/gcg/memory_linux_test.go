package main

import (
	"bytes"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// What is predicted for the largest rank is not passed: by a fit whose residual is decomposed whole, in float64
// and in float32, and where λ is chosen.
func TestPredictedMemoryHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("fits half a million ratings three times")
	}
	for _, line := range []string{
		"fit completion --generate netflix:500000 --center global --lambda-ratio 0.1 --tol 1e-2",
		"fit completion --generate netflix:500000 --center global --lambda-ratio 0.1 --tol 1e-2 --float32",
		"cv completion --generate netflix:500000 --center global --points 2 --ratio 0.2 --folds 2 --tol 1e-2",
	} {
		predictedMemoryHolds(t, line)
	}
}

// Clicks take no more, either.
func TestPredictedMemoryOfClicksHolds(t *testing.T) {
	if testing.Short() {
		t.Skip("fits a million clicks")
	}
	predictedMemoryHolds(t, "fit completion --train "+shared(t, "movielens-1m/ratings.csv.gz")+
		" --implicit 5 --lambda 150 --max-rank 100 --tol 1e-2")
}

func predictedMemoryHolds(t *testing.T, line string) {
	t.Helper()
	var out, errs bytes.Buffer
	cmd := process(t, &out, &errs, strings.Fields(line)...)
	if err := cmd.Run(); err != nil {
		t.Fatalf("%s: %v, %s", line, err, errs.String())
	}
	text := errs.String()
	text = text[:max(0, strings.LastIndex(text, " GB at rank "))] // the largest that there is
	predicted, err := strconv.ParseFloat(text[strings.LastIndex(text, " ")+1:], 64)
	if peak := float64(cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss) * 1024; err != nil || peak > predicted*1e9 {
		t.Errorf("%s took %.2f GB: %s", line, peak/1e9, errs.String())
	}
}
