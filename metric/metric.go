// Package metric measures predictions against what is known.
package metric

import "math"

// Errors accumulates the errors of predictions.
type Errors struct {
	n        int
	squares  float64
	absolute float64
}

// Add counts one prediction.
func (e *Errors) Add(prediction, truth float64) {
	d := prediction - truth
	e.n++
	e.squares += d * d
	e.absolute += math.Abs(d)
}

// N is the number of predictions.
func (e *Errors) N() int { return e.n }

// RMSE is the root mean square error, 0 of none.
func (e *Errors) RMSE() float64 {
	if e.n == 0 {
		return 0
	}
	return math.Sqrt(e.squares / float64(e.n))
}

// MAE is the mean absolute error.
func (e *Errors) MAE() float64 {
	if e.n == 0 {
		return 0
	}
	return e.absolute / float64(e.n)
}

// NMAE is the mean absolute error over the range of the ratings [Zhang12 §5].
func (e *Errors) NMAE(lo, hi float64) float64 {
	if hi <= lo {
		return 0
	}
	return e.MAE() / (hi - lo)
}

// Ranking accumulates the quality of top-N lists over users.
type Ranking struct {
	users        int
	recall, ndcg float64
}

// Add counts one user: the items recommended, best first, and those that were relevant. Users without relevant items are
// not counted.
func (r *Ranking) Add(recommended []int, relevant map[int]bool) {
	if len(relevant) == 0 {
		return
	}
	var hits, gain, ideal float64
	for k, j := range recommended {
		if relevant[j] {
			hits++
			gain += 1 / math.Log2(float64(k)+2)
		}
	}
	for k := range min(len(relevant), len(recommended)) {
		ideal += 1 / math.Log2(float64(k)+2)
	}
	r.users++
	r.recall += hits / float64(len(relevant))
	if ideal > 0 {
		r.ndcg += gain / ideal
	}
}

// Recall is the mean over users of the fraction of relevant items that were recommended.
func (r *Ranking) Recall() float64 { return r.recall / float64(max(r.users, 1)) }

// NDCG is the mean normalized discounted cumulative gain: Σ 1/log₂(k+1) over hits at rank k, over the best possible.
func (r *Ranking) NDCG() float64 { return r.ndcg / float64(max(r.users, 1)) }
