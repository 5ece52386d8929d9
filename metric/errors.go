package metric

import (
	"math"

	"github.com/seed-b18ef778/gcg/cluster"
	"github.com/seed-b18ef778/gcg/dataset"
)

// Errors accumulates the errors of predictions.
type Errors struct {
	n        int
	weight   float64
	squares  float64
	absolute float64
	signed   float64
}

// Add counts one prediction.
func (e *Errors) Add(prediction, truth float64) { e.AddWeighted(prediction, truth, 1) }

// AddWeighted counts one prediction by its weight.
func (e *Errors) AddWeighted(prediction, truth, weight float64) {
	d := prediction - truth
	e.n++
	e.weight += weight
	e.squares += weight * d * d
	e.absolute += weight * math.Abs(d)
	e.signed += weight * d
}

// N is the number of predictions.
func (e *Errors) N() int { return e.n }

// RMSE is the root mean square error, 0 of none.
func (e *Errors) RMSE() float64 {
	if e.weight == 0 {
		return 0
	}
	return math.Sqrt(e.squares / e.weight)
}

// MAE is the mean absolute error.
func (e *Errors) MAE() float64 {
	if e.weight == 0 {
		return 0
	}
	return e.absolute / e.weight
}

// Pinball is the mean of τ max(0, y - z) + (1-τ) max(0, z - y), which a τ-quantile minimises; it is (|z - y| + (1-2τ)(z - y))/2.
func (e *Errors) Pinball(tau float64) float64 {
	if e.weight == 0 {
		return 0
	}
	return (e.absolute + (1-2*tau)*e.signed) / (2 * e.weight)
}

// NMAE is the mean absolute error over the range of the ratings [Zhang12 §5].
func (e *Errors) NMAE(lo, hi float64) float64 {
	if hi <= lo {
		return 0
	}
	return e.MAE() / (hi - lo)
}

// Predicted are the errors of predictions on held-out ratings, by their weights; -1 stands for an unknown user or item.
func Predicted(predict func(i, j int) float64, held *dataset.Ratings) *Errors {
	e := NewSpread(held.Spread)
	for k, x := range held.Values {
		weight := 1.0
		if held.Omega != nil {
			weight = held.Omega[k]
		}
		e.Of(int(held.Rows[k])).AddWeighted(predict(int(held.Rows[k]), int(held.Cols[k])), x, weight)
	}
	return e.Sum()
}

// Fitted are the errors of predictions on the ratings that they were learnt from, by their weights.
func Fitted(predict func(i, j int) float64, train dataset.Observed) *Errors {
	e := NewSpread(dataset.SpreadOf(train))
	omega := dataset.Weights(train)
	at := 0
	train.Entries(func(i, j int, x float64) {
		weight := 1.0
		if omega != nil {
			weight = omega[at]
		}
		at++
		e.Of(i).AddWeighted(predict(i, j), x, weight)
	})
	return e.Sum()
}

// sharded are what predictions on ratings that ranks share are added to, by shards, so that sums do not depend on the number of
// ranks; or one for all together where one process has them all.
type sharded[T any] struct {
	rows  *cluster.Rows
	first int  // the number of the first shard
	parts []*T // of the shards of this rank, or of all ratings
}

// newSharded is of rows that are shared; nil are those of one process.
func newSharded[T any](rows *cluster.Rows, empty func() *T) sharded[T] {
	s, count := sharded[T]{rows: rows}, 1
	if rows != nil {
		first, end := rows.Own()
		s.first, count = first, max(1, end-first)
	}
	for range count {
		s.parts = append(s.parts, empty())
	}
	return s
}

// Of is what the prediction of row i is added to, or of an unknown one, which is negative.
func (s *sharded[T]) Of(i int) *T {
	if s.rows == nil {
		return s.parts[0]
	}
	return s.parts[s.rows.ShardOf(i)-s.first]
}

// A Spread accumulates errors on ratings that ranks share, or all together where one process has them all.
type Spread struct{ sharded[Errors] }

// NewSpread is of rows that are shared; nil are those of one process.
func NewSpread(rows *cluster.Rows) *Spread {
	return &Spread{newSharded(rows, func() *Errors { return new(Errors) })}
}

// Sum are the errors of all ranks, which call it together.
func (s *Spread) Sum() *Errors {
	if s.rows == nil {
		return s.parts[0]
	}
	all := cluster.Numbers(s.rows, 5, func(shard int) []float64 {
		e := s.parts[shard-s.first]
		return []float64{float64(e.n), e.weight, e.squares, e.absolute, e.signed}
	})
	return &Errors{int(all[0]), all[1], all[2], all[3], all[4]}
}
