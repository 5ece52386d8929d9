package dataset

import (
	"math"
	"slices"
	"testing"
)

// Ratings from a slice number users and items as they come, and others are by their ids, too.
func TestFromSlice(t *testing.T) {
	r, err := FromSlice([]Rating{{"ann", "tea", 4}, {"bob", "tea", 2}, {"ann", "rum", 5}})
	if err != nil {
		t.Fatal(err)
	}
	if r.Shape != [2]int{2, 2} || !slices.Equal(r.Rows, []int32{0, 1, 0}) || !slices.Equal(r.Cols, []int32{0, 0, 1}) ||
		r.RowIDs.Text(1) != "bob" {
		t.Errorf("%v: rows %v, columns %v", r.Shape, r.Rows, r.Cols)
	}
	others, err := FromSlice([]Rating{{"bob", "rum", 3}, {"cid", "rum", 1}, {"ann", "rye", 1}})
	if err != nil {
		t.Fatal(err)
	}
	held := others.By(r.RowIDs, r.ColIDs)
	if !slices.Equal(held.Rows, []int32{1, -1, 0}) || !slices.Equal(held.Cols, []int32{1, 1, -1}) || held.Unknown() != 2 ||
		held.Shape != r.Shape || r.RowIDs.Len() != 2 {
		t.Errorf("rows %v, columns %v of %v, %d unknown", held.Rows, held.Cols, held.Shape, held.Unknown())
	}
	for _, bad := range [][]Rating{nil, {{"ann", "tea", math.NaN()}}, {{"ann", "tea", math.Inf(1)}}} {
		if _, err := FromSlice(bad); err == nil {
			t.Errorf("%v is taken", bad)
		}
	}
}

// A part of the same numbering forgets what training has not met, and nothing else.
func TestHideUnseen(t *testing.T) {
	all, err := FromSlice([]Rating{{"a", "x", 1}, {"a", "y", 2}, {"b", "z", 3}, {"c", "x", 4}})
	if err != nil {
		t.Fatal(err)
	}
	train, test := all.Subset([]int32{0, 1}), all.Subset([]int32{2, 3, 1})
	test.HideUnseen(train)
	if !slices.Equal(test.Rows, []int32{-1, -1, 0}) || !slices.Equal(test.Cols, []int32{-1, 0, 1}) || test.Unknown() != 2 {
		t.Errorf("rows %v, columns %v", test.Rows, test.Cols)
	}
}

// One rating is left of each entry, where its last one stood.
func TestMerged(t *testing.T) {
	r, err := FromSlice([]Rating{{"a", "x", 1}, {"b", "x", 5}, {"a", "x", 2}, {"a", "y", 3}, {"b", "x", 2}, {"b", "x", 2}})
	if err != nil {
		t.Fatal(err)
	}
	for rule, want := range map[Duplicates][]float64{LastDuplicate: {2, 3, 2}, MeanDuplicates: {1.5, 3, 3}} {
		one, err := r.Merged(rule)
		if err != nil || !slices.Equal(one.Values, want) || !slices.Equal(one.Rows, []int32{0, 0, 1}) ||
			!slices.Equal(one.Cols, []int32{0, 1, 0}) {
			t.Errorf("rule %v: %v of rows %v, columns %v, %v", rule, one.Values, one.Rows, one.Cols, err)
		}
	}
	if _, err := r.Merged(RefuseDuplicates); err == nil {
		t.Error("duplicates are not refused")
	}
	single, err := FromSlice([]Rating{{"a", "x", 1}})
	if one, second := single.Merged(LastDuplicate); err != nil || second != nil || one != single {
		t.Errorf("without duplicates: %v, %v", err, second)
	}
}

// Both storages of the same ratings have the same range, counts and centre.
func TestObserved(t *testing.T) {
	r, err := FromSlice([]Rating{{"a", "x", 1}, {"a", "y", 2}, {"b", "z", 3}, {"c", "x", 4.5}})
	if err != nil {
		t.Fatal(err)
	}
	wide, err := r.Compress(RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	narrow, err := r.Compact(RefuseDuplicates)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []Observed{wide, narrow} {
		m, n, nobs := s.Dims()
		lo, hi := s.Range()
		rows, cols := Counts(s)
		if m != 3 || n != 3 || nobs != 4 || lo != 1 || hi != 4.5 || !slices.Equal(rows, []float64{2, 1, 1}) ||
			!slices.Equal(cols, []float64{2, 1, 1}) {
			t.Errorf("%T: %d × %d, %d entries from %v to %v, rows %v, columns %v", s, m, n, nobs, lo, hi, rows, cols)
		}
		if o := Centre(s, RowMeans); o.At(0, 0) != 1.5 || o.At(-1, 0) != 2.625 {
			t.Errorf("%T: centre %v", s, o)
		}
	}
}
