package warning

import (
	"fmt"

	"github.com/seed-b18ef778/gcg/internal/decimal"
)

// A DataWarning is about some of the data, which Name says.
type DataWarning struct{ Name, Why string }

func (w DataWarning) String() string { return w.Name + ": " + w.Why }

// OwnAnswers warns of classes or tasks that are as many as the rows: numbers, more likely.
type OwnAnswers struct{ Name, What, Example string }

func (w OwnAnswers) String() string {
	return fmt.Sprintf("%s: every row has a %s of its own, such as %q, of which one row teaches nothing", w.Name, w.What, w.Example)
}

// Ungrouped are features that are in no group, of which the first is called Feature.
type Ungrouped struct {
	Feature string
	N       int
}

func (w Ungrouped) String() string {
	return fmt.Sprintf("feature %s is in no group and stays 0%s", w.Feature, AndMore(w.N-1))
}

// NarrowLoss warns of a width that was chosen for targets of another size: Spread is their standard deviation.
type NarrowLoss struct {
	Mu, Spread float64
	Word       string // of the loss, up to the width
}

func (w NarrowLoss) String() string {
	return fmt.Sprintf("its width %g is %.1g of the standard deviation of the targets, %.4g, which may take long; try %s%.1g",
		w.Mu, w.Mu/w.Spread, w.Spread, w.Word, w.Spread/100)
}

// WorseThanConstant warns of a model that loses to a prediction that looks at no features: one score is beside the other.
type WorseThanConstant struct {
	On       string // training or test
	Score    string // RMSE, deviance or accuracy
	Model    float64
	Constant float64
}

func (w WorseThanConstant) String() string {
	if w.Score != "accuracy" {
		return fmt.Sprintf("the model's %s on the %s rows, %s, is worse than that of the mean, %s", w.Score, w.On,
			decimal.Decimals(w.Model), decimal.Decimals(w.Constant))
	}
	return fmt.Sprintf("the model's accuracy on the %s rows, %.4f, is worse than that of the most frequent class, %.4f", w.On,
		w.Model, w.Constant)
}

// andMore says how many there are beyond the one that is named.
func AndMore(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprintf(" (and %d more)", n)
}

// A LoneLabel warns of one of two labels that occurs once: nothing can be learnt of it, nor measured.
type LoneLabel struct{ Name, Label string }

func (w LoneLabel) String() string {
	return fmt.Sprintf("%s: only one observation has the label %s; if it is no mistake, there is nothing to learn of it", w.Name,
		w.Label)
}
