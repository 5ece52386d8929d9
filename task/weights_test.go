package task

import (
	"math"
	"testing"
)

// Words and weights are the same, and what is no rule is refused.
func TestParseWeights(t *testing.T) {
	for _, text := range []string{"none", "empirical", "power:0.8", "smoothed:0.1", "power:0", "smoothed:1"} {
		if w, err := ParseWeights(text); err != nil || w.String() != text {
			t.Errorf("%s is read as %v, %v", text, w, err)
		}
	}
	for _, text := range []string{"", "power", "none:1", "smoothed:", "power:2", "power:-1", "power:NaN", "other:0.5"} {
		if w, err := ParseWeights(text); err == nil {
			t.Errorf("%q is read as %v", text, w)
		}
	}
}

// The scales by hand, of rows with 1, 3 and no ratings of 4: the last one counts as 1.
func TestWeightScales(t *testing.T) {
	for _, c := range []struct {
		w    Weights
		want []float64 // p
	}{{Weights{Rule: Empirical}, []float64{0.25, 0.75, 0.25}}, {Weights{Power, 0.5}, []float64{0.5, math.Sqrt(0.75), 0.5}},
		{Weights{Smoothed, 0.4}, []float64{0.6*0.25 + 0.4/3, 0.6*0.75 + 0.4/3, 0.6*0.25 + 0.4/3}}} {
		for i, got := range c.w.scales([]float64{1, 3, 0}, 4) {
			if want := 1 / math.Sqrt(c.want[i]); math.Abs(got-want) > 1e-12 {
				t.Errorf("%v: row %d has the scale %v, want %v", c.w, i, got, want)
			}
		}
	}
}

// p of empirical and smoothed weights are distributions where every row has a rating.
func TestWeightsSumToOne(t *testing.T) {
	for _, w := range []Weights{{Rule: Empirical}, {Smoothed, 0.3}} {
		sum := 0.0
		for _, s := range w.scales([]float64{1, 2, 3, 6, 8}, 20) {
			sum += 1 / (s * s)
		}
		if math.Abs(sum-1) > 1e-12 {
			t.Errorf("%v: the sum of p is %v", w, sum)
		}
	}
}
