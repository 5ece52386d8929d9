package metric

import (
	"cmp"
	"math"
	"slices"
)

// AUC is the fraction of pairs of a true and a false sample of which the true one has the higher score; equal scores count half.
// It is NaN where all are true, or none, and where a score is.
func AUC(scores []float64, truths []bool) float64 {
	order := make([]int, len(scores))
	for i := range order {
		if order[i] = i; math.IsNaN(scores[i]) {
			return math.NaN()
		}
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(scores[a], scores[b]) })
	var below, pairs, positives float64 // false samples below, pairs in order, true samples
	for lo := 0; lo < len(order); {
		hi, yes := lo, 0.0
		for ; hi < len(order) && scores[order[hi]] == scores[order[lo]]; hi++ {
			if truths[order[hi]] {
				yes++
			}
		}
		no := float64(hi-lo) - yes
		pairs += yes * (below + no/2)
		below, positives, lo = below+no, positives+yes, hi
	}
	return pairs / (below * positives)
}
