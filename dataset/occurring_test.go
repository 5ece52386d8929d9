package dataset

import (
	"slices"
	"testing"
)

// Only columns with entries are kept, in their order; others of another matrix are left out of it.
func TestOccurringColumns(t *testing.T) {
	x := &Matrix{Rows: 3, Cols: 1 << 30, Ptr: []int64{0, 2, 2, 4},
		Index: []int32{7, 1 << 29, 7, 1000}, Values: []float64{1, 2, 3, 4}}
	columns := x.Occurring()
	if !slices.Equal(columns, []int32{7, 1000, 1 << 29}) {
		t.Fatalf("the columns are %v", columns)
	}
	y := x.WithColumns(columns)
	if y.Cols != 3 || !slices.Equal(y.Index, []int32{0, 2, 0, 1}) ||
		!slices.Equal(y.Values, x.Values) || !slices.Equal(y.Ptr, x.Ptr) {
		t.Errorf("%+v", y)
	}
	other := &Matrix{Rows: 2, Cols: 2000, Ptr: []int64{0, 2, 3}, Index: []int32{6, 1000, 1999}, Values: []float64{5, 6, 7}}
	if z := other.WithColumns(columns); !slices.Equal(z.Index, []int32{1}) || !slices.Equal(z.Values, []float64{6}) ||
		!slices.Equal(z.Ptr, []int64{0, 1, 1}) || z.Cols != 3 {
		t.Errorf("%+v", z)
	}
}
