package metric

import "github.com/seed-b18ef778/gcg/dataset"

// Trivial is the RMSE of predictions that need no model, learnt from training ratings: a model that is not better says nothing.
type Trivial struct {
	GlobalMean float64 // of one number
	Biases     float64 // of the global mean with an offset for each row and column
	Held       bool    // measured on ratings that were held out, or on the training ratings
	rounding   float64 // of errors, relative to that of the global mean
}

// The rounding of errors that are 0 but for it, in either storage, relative to the error of the global mean.
const (
	rounding64 = 1e-9
	rounding32 = 1e-6
)

// TrivialOn measures what the training ratings alone predict of held-out ones, or of themselves where held is nil.
func TrivialOn(train dataset.Observed, held *dataset.Ratings) Trivial {
	t := Trivial{Held: held != nil, rounding: rounding64}
	if _, narrow := train.(*dataset.Compact); narrow {
		t.rounding = rounding32
	}
	rmse := func(o *dataset.Offsets) float64 {
		if held == nil {
			return Fitted(o.At, train).RMSE()
		}
		return Predicted(o.At, held).RMSE()
	}
	t.GlobalMean, t.Biases = rmse(dataset.Centre(train, dataset.GlobalMean)), rmse(dataset.Biases(train))
	return t
}

// On says what was measured on: the test or the training ratings.
func (t Trivial) On() string {
	if t.Held {
		return "test"
	}
	return "training"
}

// A Better is a trivial prediction that a model loses to.
type Better int

const (
	NothingBetter Better = iota // the model wins, or it is a draw
	MeanBetter                  // the global mean
	BiasesBetter                // row and column biases
)

// Better is the trivial prediction that a model of that RMSE loses to by more than rounding, the global mean first. On
// training ratings biases prove nothing: with an offset for each user and item they fit few ratings as closely as one likes.
func (t Trivial) Better(rmse float64) Better {
	slack := t.rounding * t.GlobalMean
	switch {
	case rmse > t.GlobalMean+slack:
		return MeanBetter
	case t.Held && rmse > t.Biases+slack:
		return BiasesBetter
	}
	return NothingBetter
}
