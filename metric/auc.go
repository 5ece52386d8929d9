package metric

import (
	"math"
	"slices"
)

// AUC is the fraction of pairs of a true and a false sample of which the true one has the higher score; equal scores count half.
// It is NaN where all are true, or none, and where a score is.
func AUC(scores []float64, truths []bool) float64 {
	var yes, no []float64
	for i, x := range scores {
		switch {
		case math.IsNaN(x):
			return math.NaN()
		case truths[i]:
			yes = append(yes, x)
		default:
			no = append(no, x)
		}
	}
	return Above(yes, no)
}

// Above is the AUC of the scores of true samples and of false ones; these are sorted in place.
func Above(yes, no []float64) float64 {
	slices.Sort(no)
	var pairs float64
	for _, x := range yes {
		less, _ := slices.BinarySearch(no, x)
		most, _ := slices.BinarySearchFunc(no, x, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		pairs += float64(less+most) / 2
	}
	return pairs / float64(len(yes)) / float64(len(no))
}
