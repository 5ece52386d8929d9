package metric

import (
	"math"

	"github.com/seed-b18ef778/gcg/dataset"
)

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

// Predicted are the errors of predictions on held-out ratings; -1 stands for an unknown user or item.
func Predicted(predict func(i, j int) float64, held *dataset.Ratings) *Errors {
	var e Errors
	for k, x := range held.Values {
		e.Add(predict(int(held.Rows[k]), int(held.Cols[k])), x)
	}
	return &e
}

// Fitted are the errors of predictions on the ratings that they were learnt from.
func Fitted(predict func(i, j int) float64, train dataset.Observed) *Errors {
	var e Errors
	train.Entries(func(i, j int, x float64) { e.Add(predict(i, j), x) })
	return &e
}
