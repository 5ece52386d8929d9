package metric_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/seed-b18ef778/gcg/metric"
)

// The AUC is its definition over all pairs, with ties.
func TestAUC(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for range 50 {
		n := 1 + rng.IntN(12)
		scores, truths := make([]float64, n), make([]bool, n)
		for i := range scores {
			scores[i], truths[i] = float64(rng.IntN(5)), rng.IntN(2) == 1
		}
		var right, pairs float64
		for i := range scores {
			for j := range scores {
				if truths[i] && !truths[j] {
					pairs++
					switch {
					case scores[i] > scores[j]:
						right++
					case scores[i] == scores[j]:
						right += 0.5
					}
				}
			}
		}
		if got, want := metric.AUC(scores, truths), right/pairs; math.Abs(got-want) > 1e-12 || math.IsNaN(got) != math.IsNaN(want) {
			t.Errorf("%v %v: %v, not %v", scores, truths, got, want)
		}
	}
}

// A score that is no number is no score: there is no AUC, and an end.
func TestAUCOfNoNumber(t *testing.T) {
	if got := metric.AUC([]float64{1, math.NaN(), 2}, []bool{true, false, false}); !math.IsNaN(got) {
		t.Errorf("AUC %v with a score that is no number", got)
	}
}
