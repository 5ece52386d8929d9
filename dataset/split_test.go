package dataset

import (
	"slices"
	"testing"
)

// Of every user a split keeps at least one rating for training, the lone rating of a user too.
func TestSplitsKeepLoneRatings(t *testing.T) {
	r := &Ratings{Rows: []int32{0, 1, 1, 1, 1, 2}, Cols: []int32{0, 0, 1, 2, 3, 1}, Values: []float64{1, 2, 3, 4, 5, 1},
		Shape: [2]int{3, 4}}
	for name, s := range map[string]Split{"user": {PerUser: 0.3, Seed: 1}, "last": {Last: 3}} {
		train, test, err := s.Parts(r)
		if err != nil || !slices.Contains(train, 0) || !slices.Contains(train, 5) || len(train) != 3 || len(test) != 3 {
			t.Errorf("%s: trains on %v, tests on %v, %v", name, train, test, err)
		}
	}
}

func TestSplitsDoNotLeak(t *testing.T) {
	g := Shapes[0]
	g.Rows, g.Cols, g.N, g.Seed = 60, 50, 900, 3
	r, err := g.Ratings()
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Split{"fraction": {Fraction: 0.75, Seed: 1}, "user": {PerUser: 0.5, Seed: 1},
		"last": {Last: 1}} {
		train, test, err := s.Parts(r)
		if err != nil {
			t.Fatal(err)
		}
		again, _, _ := s.Parts(r)
		seen := make([]int, len(r.Values))
		for _, e := range append(append([]int32{}, train...), test...) {
			seen[e]++
		}
		for e, n := range seen {
			if n != 1 {
				t.Fatalf("%s: rating %d is in %d parts", name, e, n)
			}
		}
		for i := range train {
			if train[i] != again[i] {
				t.Fatalf("%s: the same seed gives other parts", name)
			}
		}
		if name == "fraction" && len(train) != 675 {
			t.Errorf("%d of 900 for training", len(train))
		}
	}
}

// Users without ratings, of whom Matrix Market files and parts of splits know, are in no part.
func TestSplitsOfEmptyRows(t *testing.T) {
	r, err := read(t, RatingsReader{}, "%%MatrixMarket matrix coordinate real general\n4 2 3\n2 1 3\n2 2 4\n3 1 5\n")
	if err != nil {
		t.Fatal(err)
	}
	for name, s := range map[string]Split{"fraction": {Fraction: 0.5}, "user": {PerUser: 0.5}, "last": {Last: 1}} {
		if train, test, err := s.Parts(r); err != nil || len(train) != 2 || len(test) != 1 {
			t.Errorf("%s: %v and %v, %v", name, train, test, err)
		}
	}
}

// Of a split by time everything in the test is later than all of training, whatever the order of the file, and what happens at
// one moment stays together.
func TestSplitsByTime(t *testing.T) {
	r := &Ratings{Name: "clicks", Rows: []int32{0, 1, 1, 0, 2}, Cols: []int32{0, 0, 1, 2, 3}, Values: []float64{1, 1, 1, 1, 1},
		Times: []int64{50, 10, 30, 30, 20}, Shape: [2]int{3, 4}}
	train, test, err := Split{Time: 0.6}.Parts(r)
	if err != nil || !slices.Equal(train, []int32{1, 2, 3, 4}) || !slices.Equal(test, []int32{0}) {
		t.Errorf("trains on %v, tests on %v, %v", train, test, err)
	}
	for name, s := range map[string]Split{"1": {Time: 1}, "negative": {Time: -0.5}, "all at one moment": {Time: 0.99}} {
		if _, _, err := s.Parts(r); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	r.Times = nil
	if _, _, err := (Split{Time: 0.5}).Parts(r); err == nil {
		t.Error("without times: no error")
	}
}
