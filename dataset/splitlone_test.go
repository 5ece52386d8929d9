package dataset

import (
	"slices"
	"testing"
)

// Of every user a split keeps at least one rating for training, the lone rating of a user too.
func TestSplitsKeepLoneRatings(t *testing.T) {
	r := &Ratings{Rows: []int32{0, 1, 1, 1, 1, 2}, Cols: []int32{0, 0, 1, 2, 3, 1}, Values: []float64{1, 2, 3, 4, 5, 1}, Shape: [2]int{3, 4}}
	for name, s := range map[string]Split{"user": {PerUser: 0.3, Seed: 1}, "last": {Last: 3}} {
		train, test, err := s.Parts(r)
		if err != nil || !slices.Contains(train, 0) || !slices.Contains(train, 5) || len(train) != 3 || len(test) != 3 {
			t.Errorf("%s: trains on %v, tests on %v, %v", name, train, test, err)
		}
	}
}
