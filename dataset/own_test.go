package dataset_test

import (
	"slices"
	"testing"

	"github.com/seed-b18ef778/gcg/dataset"
)

// Ratings by their own ids name the same users and items in the order in which these occur; where they do so, nothing changes.
func TestOwnIDs(t *testing.T) {
	r, err := dataset.FromSlice([]dataset.Rating{{"a", "x", 1}, {"b", "y", 2}, {"c", "x", 3}, {"b", "z", 4}})
	if err != nil {
		t.Fatal(err)
	}
	own := r.Subset([]int32{3, 2}).Own()
	if rows, cols := own.RowIDs.Texts(), own.ColIDs.Texts(); !slices.Equal(rows, []string{"b", "c"}) ||
		!slices.Equal(cols, []string{"z", "x"}) || own.Shape != [2]int{2, 2} || !slices.Equal(own.Rows, []int32{0, 1}) ||
		!slices.Equal(own.Cols, []int32{0, 1}) || !slices.Equal(own.Values, []float64{4, 3}) {
		t.Errorf("%v × %v: %+v", rows, cols, own)
	}
	if r.Own() != r {
		t.Error("ratings by their own ids were numbered anew")
	}
}
