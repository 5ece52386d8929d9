package metric

import (
	"math"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Ratings r_i + c_j on a full 2 × 2: biases have no error, and the mean 3 has the spread of 1, 3, 3, 5. Held-out ratings are
// measured in their place, and a new user's by the mean with the item's offset.
func TestTrivialByHand(t *testing.T) {
	train, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}, {User: "a", Item: "y", Value: 3},
		{User: "b", Item: "x", Value: 3},
		{User: "b", Item: "y", Value: 5}})
	if err != nil {
		t.Fatal(err)
	}
	others, err := dataset.FromSlice([]dataset.Rating{{User: "new", Item: "y", Value: 4}, {User: "a", Item: "x", Value: 3}})
	if err != nil {
		t.Fatal(err)
	}
	held := others.By(train.RowIDs, train.ColIDs)
	wide, err := train.Compress(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := train.Compact(dataset.RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []dataset.Observed{wide, narrow} {
		fit, out := TrivialOn(s, nil), TrivialOn(s, held)
		near(t, "the mean's error in training", fit.GlobalMean, math.Sqrt(2))
		near(t, "the biases' error in training", fit.Biases+1, 1)
		near(t, "the mean's held-out error", out.GlobalMean, math.Sqrt(0.5))
		near(t, "the biases' held-out error", out.Biases, math.Sqrt2)
		if fit.Held || !out.Held {
			t.Errorf("%T: held %v, %v", s, fit.Held, out.Held)
		}
	}
}

// A model loses to the mean before the biases, to these where ratings were held out, and to nothing by rounding.
func TestBetter(t *testing.T) {
	for _, c := range []struct {
		held bool
		rmse float64
		want Better
	}{{true, 0.9, NothingBetter}, {true, 1.1, BiasesBetter}, {false, 1.1, NothingBetter}, {true, 2.1, MeanBetter},
		{false, 2.1, MeanBetter},
		{true, 1 + 1e-12, NothingBetter}, {false, 2 + 1e-12, NothingBetter}, {true, math.NaN(), NothingBetter}} {
		trivial := Trivial{GlobalMean: 2, Biases: 1, Held: c.held, rounding: rounding64}
		if got := trivial.Better(c.rmse); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}
