package gauge

import (
	"slices"
	"testing"
)

// Rows are written entry by entry, and entries that int32 does not number are refused, not taken for others.
func TestEntriesOfRows(t *testing.T) {
	entries, err := EntriesOfRows([][]int32{{2, 0}, {1}}, 3, 2)
	if err != nil || len(entries) != 2 || !slices.Equal(entries[0], []int32{4, 5, 0, 1}) ||
		!slices.Equal(entries[1], []int32{2, 3}) {
		t.Errorf("%v, %v", entries, err)
	}
	if entries, err := EntriesOfRows([][]int32{{1<<21 - 1}}, 1<<21, 1<<10+1); err == nil {
		t.Errorf("2³¹ entries and more: the last row is %v", entries)
	}
}
