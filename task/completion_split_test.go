package task

import (
	"fmt"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Entries that are rated twice are merged before a split or folds: no entry is in two parts, and every one has the merged value.
func TestDuplicatesDoNotLeak(t *testing.T) {
	var twice []dataset.Rating
	for _, x := range []float64{1, 3} {
		for i := range 80 {
			twice = append(twice, dataset.Rating{User: fmt.Sprint(i / 2), Item: fmt.Sprint(i % 2), Value: x})
		}
	}
	for rule, want := range map[dataset.Duplicates]float64{dataset.MeanDuplicates: 2, dataset.LastDuplicate: 3} {
		for _, split := range []dataset.Split{{Fraction: 0.5, Seed: 1}, {PerUser: 0.5, Seed: 1}, {Last: 1}} {
			for _, narrow := range []bool{false, true} {
				r, err := dataset.FromSlice(twice)
				if err != nil {
					t.Fatal(err)
				}
				c := &Completion{Train: r, Split: split, Duplicates: rule}
				parts, err := c.Prepare()
				if err != nil {
					t.Fatal(err)
				}
				met := map[[2]int32]bool{}
				for part, r := range []*dataset.Ratings{parts.Train(), parts.Test()} {
					for e, x := range r.Values {
						at := [2]int32{r.Rows[e], r.Cols[e]}
						if part == 1 && (at[0] < 0 || at[1] < 0) { // whom training does not know
							at = [2]int32{-1, int32(-len(met))}
						}
						if met[at] || x != want {
							t.Errorf("rule %v: entry %v is met twice, or has %v instead of %v", rule, at, x, want)
						}
						met[at] = true
					}
				}
				if len(met) != 80 || parts.Test().Len() != 40 {
					t.Errorf("rule %v: %d entries of 80, %d for the test", rule, len(met), parts.Test().Len())
				}
				again, err := dataset.FromSlice(twice)
				if err != nil {
					t.Fatal(err)
				}
				c = &Completion{Train: again, Split: split, Duplicates: rule, Float32: narrow}
				if p, err := c.Prepare(); err != nil || p.Len() != 40 {
					t.Errorf("rule %v, float32 %v: %+v, %v", rule, narrow, p, err)
				}
			}
		}
		r, err := dataset.FromSlice(twice)
		if err != nil {
			t.Fatal(err)
		}
		c := &Completion{Train: r, Duplicates: rule}
		p, err := c.Prepare()
		if err != nil {
			t.Fatal(err)
		}
		if f, err := p.Fold(0, 4); err != nil {
			t.Error(err)
		} else if _, _, n := f.Problem.Operator.Dims(); n != 60 {
			t.Errorf("rule %v: a fold of 4 trains on %d of 80", rule, n)
		}
	}
}

// A split that leaves nothing for the test is refused, and so are one beside a Test and one out of range.
func TestSplitRefuses(t *testing.T) {
	r, err := dataset.FromSlice([]dataset.Rating{{User: "a", Item: "x", Value: 1}, {User: "b", Item: "y", Value: 2}})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []*Completion{{Train: r, Split: dataset.Split{Last: 1}},
		{Train: r, Test: r, Split: dataset.Split{Fraction: 0.5}}, {Train: r, Split: dataset.Split{Fraction: 2}}} {
		if _, err := c.Prepare(); err == nil {
			t.Errorf("%+v is taken", c.Split)
		}
	}
}
