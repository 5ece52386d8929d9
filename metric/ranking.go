package metric

import (
	"math"
	"slices"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
	"github.com/seed-b18ef778/gcg/internal/linalg"
)

// Ranking accumulates the quality of top-N lists over users.
type Ranking struct {
	users                                    int
	recall, ndcg, precision, ap, first, hits float64
}

// Add counts one user: the items recommended, best first, and those that were relevant. Users without relevant items are
// not counted.
func (r *Ranking) Add(recommended []int, relevant map[int]bool) {
	if len(relevant) == 0 {
		return
	}
	var hits, gain, ideal, precise, first float64
	for k, j := range recommended {
		if relevant[j] {
			hits++
			gain += 1 / math.Log2(float64(k)+2)
			precise += hits / float64(k+1)
			if first == 0 {
				first = 1 / float64(k+1)
			}
		}
	}
	most := min(len(relevant), len(recommended))
	for k := range most {
		ideal += 1 / math.Log2(float64(k)+2)
	}
	r.users++
	r.recall += hits / float64(len(relevant))
	if most > 0 {
		r.ndcg += gain / ideal
		r.ap += precise / float64(most)
		r.precision += hits / float64(len(recommended))
		r.hits += math.Min(hits, 1)
	}
	r.first += first
}

// Users is the number of users counted.
func (r *Ranking) Users() int { return r.users }

// mean is a mean over users.
func (r *Ranking) mean(sum float64) float64 { return sum / float64(max(r.users, 1)) }

// Recall is the mean over users of the fraction of relevant items that were recommended.
func (r *Ranking) Recall() float64 { return r.mean(r.recall) }

// NDCG is the mean normalized discounted cumulative gain: Σ 1/log₂(k+1) over hits at rank k, over the best possible.
func (r *Ranking) NDCG() float64 { return r.mean(r.ndcg) }

// Precision is the mean fraction of recommended items that were relevant.
func (r *Ranking) Precision() float64 { return r.mean(r.precision) }

// MAP is the mean average precision: Σ over hits of the precision of the list down to the hit, over the most hits that there
// could be.
func (r *Ranking) MAP() float64 { return r.mean(r.ap) }

// MRR is the mean of 1/k for the first hit at rank k, 0 without a hit.
func (r *Ranking) MRR() float64 { return r.mean(r.first) }

// HitRate is the fraction of users with a hit.
func (r *Ranking) HitRate() float64 { return r.mean(r.hits) }

// UsualThreshold is the median held-out rating of all ranks, the upper one of two in the middle; 0 of none.
func UsualThreshold(held *dataset.Ratings) float64 {
	return linalg.UpperMedian(slices.Concat(cluster.All(held.Spread.Comm(), held.Values)...))
}

// RelevantFrom are the items of each user that are rated at least so high.
func RelevantFrom(held *dataset.Ratings, threshold float64) map[int]map[int]bool {
	relevant := map[int]map[int]bool{}
	for k, x := range held.Values {
		i, j := int(held.Rows[k]), int(held.Cols[k])
		if i < 0 || j < 0 || x < threshold {
			continue
		}
		if relevant[i] == nil {
			relevant[i] = map[int]bool{}
		}
		relevant[i][j] = true
	}
	return relevant
}
