package dataset

import (
	"slices"
	"testing"
)

// Ratings with others have both, numbered as before, and the others' own users and items behind.
func TestWith(t *testing.T) {
	a, err := FromSlice([]Rating{{"ann", "tea", 1}, {"bob", "rum", 5}})
	if err != nil {
		t.Fatal(err)
	}
	b, err := FromSlice([]Rating{{"cid", "rum", 2}, {"ann", "gin", 3}, {"ann", "tea", 4}})
	if err != nil {
		t.Fatal(err)
	}
	all := a.With(b)
	if !slices.Equal(all.Rows, []int32{0, 1, 2, 0, 0}) || !slices.Equal(all.Cols, []int32{0, 1, 1, 2, 0}) ||
		!slices.Equal(all.Values, []float64{1, 5, 2, 3, 4}) || all.Shape != [2]int{3, 3} ||
		!slices.Equal(all.RowIDs.Texts(), []string{"ann", "bob", "cid"}) || a.RowIDs.Len() != 2 || b.Rows[0] != 0 {
		t.Errorf("%+v", all)
	}
	if s, err := all.Compress(LastDuplicate); err != nil || !slices.Equal(s.Values, []float64{4, 3, 5, 2}) {
		t.Errorf("the last of two is kept: %+v, %v", s, err)
	}
}
