package dataset

import (
	"testing"
)

// What a caller gets wrong is an error, or ends the program with a word, and is not taken for something else.
func TestMisuse(t *testing.T) {
	r, err := read(t, RatingsReader{}, "a,x,1\na,y,2\nb,x,3\nb,y,4\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Split{{}, {Fraction: 0.5, Last: 1}, {Fraction: 0.5, PerUser: 0.5}, {PerUser: 0.5, Last: 1}, {Last: -1}} {
		if _, _, err := s.Parts(r); err == nil {
			t.Errorf("%+v: no error", s)
		}
	}
	for _, c := range [][2]int{{3, 0}, {3, -1}, {-3, 2}} {
		if fold, err := Folds(c[0], c[1], 1); err == nil {
			t.Errorf("%d items in %d folds: %v", c[0], c[1], fold)
		}
	}
	if fold, err := Folds(3, 2, 1); err != nil || len(fold) != 3 {
		t.Errorf("%v, %v", fold, err)
	}
	for _, c := range []Centring{AutoCentre, NoCentre, GlobalMean, RowMeans, ColumnMeans, BothMeans, ShrunkMeans} {
		if same, err := ParseCentring(c.String()); same != c || err != nil {
			t.Errorf("%v is read as %v, %v", c, same, err)
		}
	}
	if _, err := ParseCentring("foo"); err == nil ||
		err.Error() != `dataset: a centre is auto, none, global, rows, cols, both or shrunk, not "foo"` {
		t.Errorf("another centre: %v", err)
	}
}
