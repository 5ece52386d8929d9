package main

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
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
		"fit completion --generate netflix:500000 --center global --weights none --rated none --max-rank 50 --tol 1e-2",
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
	if err := process(t, &out, &errs, append(strings.Fields(line), "--json")...).Run(); err != nil {
		t.Fatalf("%s: %v, %s", line, err, errs.String())
	}
	var result struct {
		Peak float64 `json:"peak_memory_bytes"`
	}
	if err := json.Unmarshal(out.Bytes(), &result); err != nil || result.Peak == 0 {
		t.Fatalf("%s: %v, %s", line, err, out.String())
	}
	text := errs.String()
	text = text[:max(0, strings.LastIndex(text, " GB at rank "))] // the largest that there is
	predicted, err := strconv.ParseFloat(text[strings.LastIndex(text, " ")+1:], 64)
	if err != nil || result.Peak > predicted*1e9 {
		t.Errorf("%s took %.2f GB: %s", line, result.Peak/1e9, errs.String())
	}
}
