package metric

import (
	"math"

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
	var e Errors
	for k, x := range held.Values {
		weight := 1.0
		if held.Omega != nil {
			weight = held.Omega[k]
		}
		e.AddWeighted(predict(int(held.Rows[k]), int(held.Cols[k])), x, weight)
	}
	return &e
}

// Fitted are the errors of predictions on the ratings that they were learnt from, by their weights.
func Fitted(predict func(i, j int) float64, train dataset.Observed) *Errors {
	var e Errors
	omega := dataset.Weights(train)
	at := 0
	train.Entries(func(i, j int, x float64) {
		weight := 1.0
		if omega != nil {
			weight = omega[at]
		}
		at++
		e.AddWeighted(predict(i, j), x, weight)
	})
	return &e
}
